import AppIntents
import CoreImage
import CoreSpotlight
import CoreTransferable
import CoreVideo
import Foundation
import Testing
import VisualQueryClient

@testable import AppClient

/// Would break if the app uploaded images at full size, showed untranslated words, or shared nothing.
@Suite struct AppClientTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/AppClient").standardizedFileURL

  @Test(
    arguments: [(3000, 2000, 1024), (800, 600, 800), (1, 5000, 1024)],
    [ImageEncoder.Form.jpeg(quality: 0.8), .heic(quality: 0.6)])
  func `an image is scaled to the longer side that the service looks at`(
    size: (width: Int, height: Int, expected: Int), form: ImageEncoder.Form
  ) throws {
    let (width, height, expected) = size
    let file = Data("\(width) × \(height) \(form)".utf8)
    let buffer = CVPixelBuffer(file: file, width: width, height: height)
    #expect(ImageEncoder(form: form).file(of: buffer, longSide: 1024) == file)
    let size = try #require(CIContext.standInSize(of: file))
    #expect(abs(max(size.width, size.height) - CGFloat(expected)) < 0.01)
  }

  @Test func `every word of the app is translated`() throws {
    let pattern =
      #/(?:title: |shortTitle: |LocalizedStringResource = |TypeDisplayRepresentation = |^ +\.\w+: |, \.\w+: )"([^"\\]+)"/#
      .anchorsMatchLineEndings()
    let summary = #/Summary\("([^"]+)"/#
    var words: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: Self.sources, includingPropertiesForKeys: nil) where file.pathExtension == "swift"
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      words.formUnion(text.matches(of: pattern).map { String($0.output.1) })
      words.formUnion(
        text.matches(of: summary).map {
          String($0.output.1).replacing(#/\\\(\\\.\$(\w+)\)/#) { "${\($0.output.1)}" }
        })
    }
    // The stand-in's parameter only.
    words.remove("Scene")
    #expect(words.count > 5)
    #expect(try Self.translated("Localizable") == words)
  }

  @Test func `every phrase has the name of the app, and is translated`() throws {
    let phrases = ShopShortcuts.appShortcuts.flatMap(\.phrases)
    let negative = ShopShortcuts.negativePhrases.standInPhrases
    #expect((phrases + negative).allSatisfy { $0.contains("${applicationName}") })
    #expect(!negative.isEmpty && Set(negative).isDisjoint(with: phrases))
    #expect(ShopShortcuts.appShortcuts.count <= 10)
    #expect(try Self.translated("AppShortcuts") == Set(phrases + negative))
  }

  /// The keys of a string catalogue that have German and French texts with the same placeholders.
  private static func translated(_ name: String) throws -> Set<String> {
    struct StringCatalogue: Decodable {
      struct Entry: Decodable {
        struct Localization: Decodable {
          struct Unit: Decodable { let value: String }
          let stringUnit: Unit
        }
        let localizations: [String: Localization]
      }
      let strings: [String: Entry]
    }
    let file = sources.appendingPathComponent("Resources/\(name).xcstrings")
    let strings = try JSONDecoder().decode(StringCatalogue.self, from: Data(contentsOf: file))
      .strings
    func placeholders(_ text: String) -> [String] {
      text.matches(of: #/\$\{\w+\}/#).map { String($0.output) }.sorted()
    }
    return Set(
      strings.filter { key, entry in
        ["de", "fr"].allSatisfy { language in
          entry.localizations[language].map {
            placeholders($0.stringUnit.value) == placeholders(key)
          } ?? false
        }
      }.keys)
  }

  /// Would break if a person could not tell what is sure from what a scene may show.
  @Test func `the card of what is not sure says so`() {
    func card(_ subtitle: String?) -> Entity {
      Entity(
        EntityID(.product, "1"), url: nil, display: Display(title: "Mug", subtitle: subtitle)
      ).unsure
    }
    #expect(card("Enamel").display.subtitle == "Not sure · Enamel")
    #expect(card(nil).display.subtitle == "Not sure" && card(nil).display.title == "Mug")
    #expect(card(nil).entityID == EntityID(.product, "1"))
  }

  /// Would break if Siri and Shortcuts said "unknown error" in place of a sentence that people can read.
  @Test func `an error has a sentence for Siri and Shortcuts`() async throws {
    let shop = ShopSearch(
      ServiceConfiguration(
        address: try #require(URL(string: "http://127.0.0.1:1/")), language: "de"))
    let error = await #expect(throws: ClientError.self) { try await shop.suggestedEntities(.store) }
    let readable: (any CustomLocalizedStringResourceConvertible)? = error
    #expect(readable?.localizedStringResource.key.contains("nicht erreichbar") == true)
  }

  /// Would break if Spotlight were given an address of the web, or money lost its currency.
  @Test func `a product has a price with its currency, an availability, and an image`() throws {
    let json = Data(
      """
      {"type":"product","id":"1","url":"https://shop.example/p/1",
       "display":{"title":"Mug","subtitle":"Enamel","image":"https://shop.example/1.jpg"},
       "product":{"id":"1","title":"Mug","price":{"amount":"1234.50","currency":"EUR"},
        "availability":"preOrder"}}
      """.utf8)
    let product = ProductEntity(
      try JSONDecoder().decode(Entity.self, from: json), image: Data([0xFF, 0xD8]))
    #expect(product.price?.currencyCode == "EUR" && product.price?.amount == Decimal(1234.5))
    #expect(product.amount == 1234.5 && product.availability == .preOrder)
    let attributes = product.attributeSet
    #expect(attributes.thumbnailData == Data([0xFF, 0xD8]) && attributes.thumbnailURL == nil)
    #expect(product.displayRepresentation.image?.data == Data([0xFF, 0xD8]))
    let price = try #require(product.entity.product?.price)
    #expect(price.text(in: Locale(identifier: "de_DE")) == "1.234,50\u{A0}€")
    #expect(product.displayRepresentation.subtitle?.key == "Enamel · \(price.text())")
    #expect(product.entity.unsure.representation(image: nil).subtitle?.key.contains("1") == true)
    #expect(product.urlRepresentationParameter == "https://shop.example/p/1")
    #expect(product.link?.absoluteString == "https://shop.example/p/1")
    #expect(
      ProductAvailability.caseDisplayRepresentations.count == ProductAvailability.allCases.count)
  }

  /// Would break if Spotlight and Siri knew an entity by the title of its card only, or if a key named no attribute.
  @Test func `properties with an indexing key are attributes of Spotlight`() async throws {
    let json = Data(
      """
      [{"type":"product","id":"1","url":"https://shop.example/p/1",
        "display":{"title":"Mug","subtitle":"Enamel","synonyms":["cup"]},
        "product":{"id":"1","title":"Mug","brand":"Aster"}},
       {"type":"store","id":"1","display":{"title":"North"},
        "store":{"id":"1","title":"North","address":"Quay 1"}}]
      """.utf8)
    let entities = try JSONDecoder().decode([Entity].self, from: json)
    let index = CSSearchableIndex(name: UUID().uuidString)
    try await index.indexAppEntities([ProductEntity(entities[0])])
    try await index.indexAppEntities([StoreEntity(entities[1])])
    let product = try #require(index.stored.attributes["ProductEntity/1"])
    #expect(product["title"] == "Mug" && product["contentDescription"] == "Enamel")
    #expect(product["displayName"] == "Mug" && product["url"] == "https://shop.example/p/1")
    #expect(product["keywords"]?.contains("Aster") == true)
    let store = try #require(index.stored.attributes["StoreEntity/1"])
    #expect(store["title"] == "North" && store["fullyFormattedAddress"] == "Quay 1")
    #expect(store["contentDescription"] == nil)
    // The stand-ins have no macros: a computed property is not compiled here.
    var keys: [String] = []
    for name in ["ProductEntity", "StoreEntity"] {
      let source = try String(
        contentsOf: Self.sources.appendingPathComponent("\(name).swift"), encoding: .utf8)
      let found = source.matches(of: #/indexingKey: \\\.(\w+)/#).map { String($0.output.1) }
      #expect(found.contains("contentURL") && Set(found).count == found.count)
      keys += found
    }
    #expect(CSSearchableItemAttributeSet.standInNames.isSuperset(of: keys))
  }

  /// Would break if the system opened something else than what a person sees in a link, or no screen at all.
  @Test func `links and the activity are those that the README sets up`() throws {
    let readme = try String(
      contentsOf: Self.sources.appendingPathComponent("../../README.md"), encoding: .utf8)
    #expect(
      readme.contains("`NSUserActivityTypes` is a list with `$(PRODUCT_BUNDLE_IDENTIFIER).view`"))
    #expect(Navigation.activityType.hasSuffix(".view"))
    let store = StoreEntity(
      Entity(EntityID(.store, "1"), url: nil, display: Display(title: "North")))
    #expect(store.urlRepresentationParameter == "https://shop.example/stores/1")
    // The templates that the README gives to `vq index --link` in its first step.
    for template in ["https://shop.example/p/{id}", "https://shop.example/stores/{id}"] {
      #expect(readme.contains("=\(template)'"))
    }
  }

  @Test func `a type of a newer service is not shown, and nothing else is lost`() {
    let newer = Entity(
      EntityID(EntityType(rawValue: "collection"), "1"), url: nil, display: Display(title: "A"))
    let product = Entity(EntityID(.product, "1"), url: nil, display: Display(title: "B"))
    #expect([newer, product].compactMap { VisualSearchResult($0, image: nil) }.count == 1)
  }

  /// Would break if an upload to the App Store were refused for a manifest that cannot be read.
  @Test func `the package has a privacy manifest`() throws {
    let file = Self.sources.appendingPathComponent(
      "../../../../Clients/Swift/Sources/VisualQueryClient/PrivacyInfo.xcprivacy")
    let manifest = try #require(
      try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        as? [String: Any])
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    let collected = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(
      collected.contains {
        $0["NSPrivacyCollectedDataType"] as? String == "NSPrivacyCollectedDataTypePhotosorVideos"
      })
  }

  @Test func `another app receives a product as text`() async throws {
    let entity = Entity(
      EntityID(.product, "1"), url: URL(string: "https://shop.example/1"),
      display: Display(title: "Mug", subtitle: "Red"))
    let product = ProductEntity(entity)
    #expect(entity.plainText == "Mug\nRed\nhttps://shop.example/1")
    #expect(product.displayRepresentation.subtitle?.key == "Red")
    #expect(product.attributeSet.displayName == "Mug" && product.attributeSet.keywords == [])
    #expect(product.brand == nil && product.price == nil && product.availability == nil)
    let representation =
      ProductEntity.transferRepresentation as? ProxyRepresentation<ProductEntity, String>
    #expect(try await representation?.exporting(product) == entity.plainText)
  }
}
