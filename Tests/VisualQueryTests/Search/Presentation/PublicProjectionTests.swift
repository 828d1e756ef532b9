@testable import ShopModel
import Synchronization
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct PublicProjectionTests {
  private func entity(_ json: String) throws -> EntityValue {
    try EntityValue(json: JSONValue(json: Array(json.utf8)))
  }

  private static func fields(_ value: JSONValue) -> [String: JSONValue] {
    if case .object(let fields) = value { fields } else { [:] }
  }

  private func mug() throws -> EntityValue {
    try entity(
      #"""
      {"type":"product","id":"mug/é","title":"Camp mug","subtitle":"Red","synonyms":["cup"],
       "labels":["mug"],"localized":{"de":{"title":"Becher"}},"featured":true,"group":"mugs",
       "brand":"Northlight","price":{"amount":"14.90","currency":"EUR"},"availability":"inStock",
       "url":"https://shop.example/mug","stock":17,"purchasePrice":"4.20",
       "care":{"wash":"by hand"},"images":["images/mug.jpg","/srv/none.jpg",
         "https://cdn.shop.example/mug.jpg","https://user:secret@cdn.shop.example/mug.jpg",
         "http://cdn.shop.example/a b.jpg","HTTP://cdn.shop.example/c.jpg"]}
      """#)
  }

  @Test func `only the fields that the shop names join the standard ones`() throws {
    let mug = try mug()
    func fields(_ names: Set<String>?) -> [String: JSONValue] {
      Self.fields(PublicProjection(ShopSettings(publicFields: names)).object(for: mug))
    }
    #expect(fields([])["extra"] == nil)
    let care = JSONValue.object(["wash": .string("by hand")])
    #expect(fields(["care", "none"])["extra"] == .object(["care": care]))
    let (all, shown) = (Self.fields(mug.json), fields(nil))
    for (name, value) in shown where name != "images" { #expect(all[name] == value) }
    #expect(Set(all.keys).subtracting(shown.keys) == ["extra"])
  }

  /// Would break if a private field were shown in place of an attribute of the same name. Dictionaries have another order in
  /// each process and after each copy.
  @Test func `an attribute hides no private field of its name`() throws {
    for number in 0..<40 {
      let mug = try entity(
        #"{"type":"product","id":"\#(number)","title":"M","attributes":{"material":"steel"},"material":"SECRET"}"#
      )
      for names in [[], ["material"]] as [Set<String>] {
        let projection = PublicProjection(ShopSettings(publicFields: names))
        let flat = projection.flatStrings(of: mug, for: nil, url: nil)
        #expect(flat["material"] == (names.isEmpty ? "steel" : "SECRET"))
      }
      #expect(mug.flatStrings()["material"] == "SECRET")
    }
  }

  @Test func `a store has all but its stock`() throws {
    let store = try entity(
      #"""
      {"type":"store","id":"s","title":"S","address":"Quay 4","geo":{"latitude":53.5,"longitude":10},
       "openingHours":["Mo-Fr 09:00-18:00"],"timeZone":"Europe/Berlin","stock":["a","b"],"manager":"M"}
      """#)
    let object = PublicProjection(ShopSettings(publicFields: ["stock"])).object(for: store)
    let (all, shown) = (Self.fields(store.json), Self.fields(object))
    #expect(Set(all.keys).subtracting(shown.keys) == ["stock", "extra"])
  }

  /// Would break if a path went out, or if an image of another position were named.
  @Test func `images are the shop's URLs, or those of thumbnails`() throws {
    let mug = try mug()
    let tags = [mug.id: [0: "00000000000000ff", 2: "a", 3: "b"]]
    let projection = PublicProjection(ShopSettings(), contentTags: tags)
    let thumbnail = "/v1/entities/product/mug%2F%C3%A9/thumbnail?size=large&image="
    let urls = [
      thumbnail + "0&v=00000000000000ff", "https://cdn.shop.example/mug.jpg", thumbnail + "3&v=b",
      "HTTP://cdn.shop.example/c.jpg",
    ]
    #expect(projection.imageURLs(of: mug) == urls)
    let shown = Self.fields(projection.object(for: mug))["images"]
    #expect(shown == .array(urls.map(JSONValue.string)))
    #expect(projection.imageURL(of: mug, at: 3) == urls[2])
    #expect(
      projection.imageURL(of: mug, at: 1) == nil && projection.imageURL(of: mug, at: 9) == nil)
    let display = projection.display(mug.displayRepresentation(for: "de"), of: mug)
    #expect(display.image == urls[0] && display.title == "Becher" && display.synonyms == ["cup"])
    // Only an image at another address has a thumbnail beside it, if the server has the image.
    #expect(display.thumbnail == nil)
    let addressed = PublicProjection(ShopSettings(), contentTags: [mug.id: [2: "a"]])
    let card = addressed.display(mug.displayRepresentation, of: mug)
    #expect(card.image == urls[1] && card.thumbnail == thumbnail + "2&v=a")
    let without = PublicProjection(ShopSettings())
    #expect(without.imageURLs(of: mug) == [urls[1], urls[3]])
  }

  @Test(arguments: [(0, "0000000000000000"), (255, "00000000000000ff"), (-1, "ffffffffffffffff")])
  func `a content tag has 16 digits`(hash: Int, tag: String) {
    #expect(ContentTag.text(ofHash: hash) == tag)
  }

  @Test(arguments: [
    ("price", true, true), ("labels", true, false), ("stock", true, false),
    ("images", false, false), ("care", true, true), ("purchasePrice", false, false),
    ("extra.care", false, false), ("", false, false),
  ]) func `strangers filter and sort by public properties only`(
    name: String, filter: Bool, sort: Bool
  ) {
    let fields = ReadableFields(shown: ["care"], includesPrivate: false)
    #expect(fields.allows(EntityProperty(name), for: .filter) == filter)
    #expect(fields.allows(EntityProperty(name), for: .sort) == sort)
    // The shop itself may look at all.
    let all = ReadableFields(shown: ["care"], includesPrivate: true)
    #expect(all.allows(EntityProperty(name), for: .filter))
    #expect(all.allows(EntityProperty(name), for: .sort))
  }

  @Test func `public fields are kept with the contents until they are replaced`() async throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(#"{"type":"product","id":"a","title":"A","care":1}"#, to: "c.jsonl")
    func indexed(_ fields: Set<String>?, _ directory: String = "/i.vq") async throws -> Set<String>
    {
      _ = try await Indexer(
        directory: folder.path + directory, settings: ShopSettings(publicFields: fields)
      ).run(path: path)
      return try Catalogue(directory: folder.path + directory).publicFields
    }
    #expect(try await indexed(nil).isEmpty)
    #expect(try await indexed(["care", "a,b\""]) == ["care", "a,b\""])
    #expect(try await indexed(nil) == ["care", "a,b\""])
    let upkeep = CatalogueUpkeep(directory: folder.path + "/i.vq")
    #expect(try await upkeep.status().publicFields == ["a,b\"", "care"])
    let lines = Mutex("")
    try await upkeep.export { line in lines.withLock { $0 += line + "\n" } }
    let copy = CatalogueUpkeep(directory: folder.path + "/copy.vq")
    _ = try await copy.importing(path: folder.write(lines.withLock { $0 }, to: "export.jsonl"))
    #expect(try Catalogue(directory: copy.directory).publicFields == ["care", "a,b\""])
    #expect(try await indexed([]).isEmpty)
  }

  @Test func `a catalogue knows the content of its images`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let lookup = EntityLookup(catalogue: try Catalogue(directory: folder.path + "/shop.vq"))
    let mug = EntityID(type: .product, value: "mug-red")
    let none = EntityID(type: .product, value: "none")
    let projection = try await lookup.publicProjection(of: [mug, none, mug])
    let urls = projection.imageURLs(of: try #require(try await lookup.entities(for: [mug]).first))
    #expect(urls.count == 2 && Set(urls.map { $0.suffix(18) }).count == 2)
    let thumbnail = try await EntityThumbnails(catalogue: lookup.catalogue)
      .thumbnail(of: mug, image: 1, size: .extraLarge)
    #expect(urls[1].hasSuffix("&image=1&v=\(try #require(thumbnail).contentTag)"))
  }
}
