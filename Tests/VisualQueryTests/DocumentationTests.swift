import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

/// The code in the articles is the code that is compiled and run.
@Suite struct DocumentationTests {
  private static let root = SampleShop.folder.deletingLastPathComponent().path

  @Test(arguments: [
    ("EmbedInYourServer", "Embed/Package.swift"),
    ("EmbedInYourServer", "Embed/Sources/Embed/ShopSearch.swift"),
    ("EmbedInYourServer", "Embed/Sources/Embed/Embed.swift"),
    ("EmbedInYourServer", "Embed/Sources/OneProgram/LiveShop.swift"),
    ("EmbedInYourServer", "Embed/Sources/OneProgram/OneProgram.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/VisualSearch.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/ProductEntity.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/StoreEntity.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/OpenIntents.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/ShopSearch.swift"),
    ("FromDescriptorToEntities", "AppClient/Sources/AppClient/ImageEncoder.swift"),
  ])
  func `an article shows a file as it is`(article: String, file: String) throws {
    let text = try String(
      contentsOfFile: Self.root + "/Sources/VisualQuery/VisualQuery.docc/\(article).md",
      encoding: .utf8)
    let code = try String(contentsOfFile: Self.root + "/Samples/" + file, encoding: .utf8)
    #expect(text.contains("```swift\n" + code + "```"))
  }

  /// Lines that a person would type must be lines that are compiled.
  @Test(arguments: [
    "Sources/VisualQuery/VisualQuery.docc/VisualQuery.md",
    "Sources/VisualQuery/VisualQuery.docc/MatchYourFirstPicture.md",
    "Sources/VisualQuery/VisualQuery.docc/FromDescriptorToEntities.md",
    "Sources/VisualQuery/VisualQuery.docc/UpdateEntities.md", "README.md",
  ])
  func `every line of an example is compiled`(article: String) throws {
    let text = try String(contentsOfFile: Self.root + "/" + article, encoding: .utf8)
    let examples = try ["VisualQueryTests/ArticleExamples.swift"]
      .map { try String(contentsOfFile: Self.root + "/Tests/" + $0, encoding: .utf8) }
    let names = [
      "VisualSearch", "ProductEntity", "StoreEntity", "OpenIntents", "ShopSearch", "ImageEncoder",
    ]
    let files = try names.map {
      try String(
        contentsOfFile: Self.root + "/Samples/AppClient/Sources/AppClient/\($0).swift",
        encoding: .utf8)
    }
    let compiled = Set(
      (examples + files).flatMap { $0.split(separator: "\n") }
        .map { $0.trimmingCharacters(in: .whitespaces) })
    var isCode = false
    var count = 0
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        isCode = line == "```swift"
      } else if isCode {
        count += 1
        let known = line.replacing("\"shop.vq\"", with: "directory")
          .replacing("\"photo.jpg\"", with: "photo").trimmingCharacters(in: .whitespaces)
        #expect(compiled.contains(known), "\(line)")
      }
    }
    #expect(count > 5)
  }

  @Test func `the examples run`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let lookup = EntityLookup(catalogue: try Catalogue(directory: folder.path + "/shop.vq"))
    let stored = ArticleExamples.StoredEntities()
    try await ArticleExamples.indexOnTheDevice(lookup, stored)
    #expect(stored.entities.count == 32 && stored.state != nil)
    let change = try await ArticleExamples.updateEntities(
      directory: folder.path + "/shop.vq",
      jpeg: try ImageDecoder().contents(ofFile: SampleShop.image("mug-red.jpg")), changes: [])
    #expect(change.id.value == "mug-red")
    let jpeg = try ImageDecoder().contents(ofFile: SampleShop.image("mug-red.jpg"))
    let isCompared = try await ArticleExamples.supplyEmbeddings(
      matcher: Matcher(catalogue: try Catalogue(directory: folder.path + "/shop.vq")), jpeg: jpeg,
      features: [1, 2])
    // The examples have the usual deadline: on a busy machine it ends before vectors are looked for.
    #expect(isCompared != true)
    let found = try await ArticleExamples.readme(
      directory: folder.path + "/shop.vq", photo: SampleShop.image("mug-red.jpg"))
    // The matches within the default deadline depend on the machine.
    #expect(found.isEmpty || found.contains("mug-red"))
    try await ArticleExamples.matchYourFirstPicture(
      directory: folder.path + "/shop.vq", photo: SampleShop.image("mug-red.jpg"))
  }
}
