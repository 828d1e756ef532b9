import AppIntents
import CoreImage
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

  @Test(arguments: [(3000, 2000, 1024), (800, 600, 800), (1, 5000, 1024)])
  func `an image is scaled to the longer side that the service looks at`(
    width: Int, height: Int, expected: Int
  ) throws {
    let file = Data("\(width) × \(height)".utf8)
    let buffer = CVPixelBuffer(file: file, width: width, height: height)
    #expect(ImageEncoder().jpeg(of: buffer, longSide: 1024) == file)
    let size = try #require(CIContext.standInSize(of: file))
    #expect(abs(max(size.width, size.height) - CGFloat(expected)) < 0.01)
  }

  @Test func `every word of the app is translated`() throws {
    let pattern =
      #/(?:title: |shortTitle: |LocalizedStringResource = |TypeDisplayRepresentation = )"([^"\\]+)"/#
    var words: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: Self.sources, includingPropertiesForKeys: nil) where file.pathExtension == "swift"
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      words.formUnion(text.matches(of: pattern).map { String($0.output.1) })
    }
    // The stand-in's parameter only.
    words.remove("Scene")
    #expect(words.count > 5)
    #expect(try Self.translated("Localizable") == words)
  }

  @Test func `every phrase has the name of the app, and is translated`() throws {
    let phrases = ShopShortcuts.appShortcuts.flatMap(\.phrases)
    #expect(phrases.allSatisfy { $0.contains("${applicationName}") })
    #expect(ShopShortcuts.appShortcuts.count <= 10)
    #expect(try Self.translated("AppShortcuts") == Set(phrases))
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

  @Test func `another app receives a product as text`() async throws {
    let entity = Entity(
      EntityID(.product, "1"), url: URL(string: "https://shop.example/1"),
      display: Display(title: "Mug", subtitle: "Red"))
    let product = ProductEntity(entity)
    #expect(entity.plainText == "Mug\nRed\nhttps://shop.example/1")
    #expect(product.attributeSet.displayName == "Mug" && product.attributeSet.keywords == [])
    #expect(product.brand == nil && product.price == nil)
    let representation =
      ProductEntity.transferRepresentation as? ProxyRepresentation<ProductEntity, String>
    #expect(try await representation?.exporting(product) == entity.plainText)
  }
}
