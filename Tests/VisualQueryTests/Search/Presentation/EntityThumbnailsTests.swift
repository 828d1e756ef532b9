import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

/// Small pictures of what is in a catalogue.
@Suite struct EntityThumbnailsTests {
  @Test(arguments: EntityThumbnails.Size.allCases)
  func `a thumbnail is the picture, small`(size: EntityThumbnails.Size) async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let thumbnails = EntityThumbnails(
      catalogue: try Catalogue(directory: folder.path + "/shop.vq"))
    let mug = EntityID(type: .product, value: "mug-red")
    let file = try #require(try await thumbnails.jpeg(of: mug, size: size))
    let picture = try ImageDecoder().decode(file)
    let original = try decoded(SampleShop.image("mug-red.jpg"))
    let limit = min(max(original.width, original.height), size.longerSide)
    #expect((limit * 3 / 4...limit).contains(max(picture.width, picture.height)))
    let second = try await thumbnails.jpeg(of: mug, image: 1, size: size)
    #expect(second != nil && second != file)
    #expect(try await thumbnails.jpeg(of: mug, image: 9, size: size) == nil)
    let none = EntityID(type: .store, value: "mug-red")
    #expect(try await thumbnails.jpeg(of: none, size: size) == nil)
  }

  private func decoded(_ file: String) throws -> PixelBuffer {
    let decoder = ImageDecoder()
    return try decoder.decode(try decoder.contents(ofFile: file))
  }

  @Test(arguments: [
    ("https://shop.example/p/{id}", "/p/*", "shop.example"),
    ("https://Shop.example/{type}/{group}/{id}{?brand}#top", "/*/*/*", "shop.example"),
    ("https://shop.example/open{?id}", "/open", "shop.example"),
    ("https://shop.example/a{/brand,id}", "/a/*", "shop.example"),
  ]) func `a template's paths are described for universal links`(
    template: String, pattern: String, host: String
  ) throws {
    let template = try LinkTemplate(template)
    #expect(template.pathPattern == pattern && template.host == host)
  }

  @Test func `a scheme of an app has no path`() throws {
    let template = try LinkTemplate("shop://open/{id}", allowedSchemes: ["shop"])
    #expect(template.pathPattern == nil && template.host == nil)
  }
}
