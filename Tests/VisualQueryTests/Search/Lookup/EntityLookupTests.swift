@testable import ShopStore
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct EntityLookupTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func lookup() async throws -> EntityLookup {
    EntityLookup(catalogue: try await Self.shared.value.1)
  }

  private func product(_ id: String) -> EntityID { EntityID(type: .product, value: id) }

  @Test func `ids are answered in their order, unknown ones left out`() async throws {
    let ids = [
      product("oats"), product("nothing"), EntityID(type: .store, value: "harbour"),
      product("mug-red"), EntityID(type: .store, value: "oats"), product("oats"),
    ]
    let found = try await lookup().entities(for: ids)
    #expect(found.map(\.id) == [ids[0], ids[2], ids[3], ids[0]])
    #expect(try await lookup().entities(for: []).isEmpty)
  }

  @Test func `suggestions begin with what is featured, one of each group`() async throws {
    let found = try await lookup().suggestedEntities(limit: 100)
    #expect(found.prefix(2).map(\.id.value) == ["mug-red", "lantern"])
    let groups = found.compactMap { value -> String? in
      if case .product(let product) = value { product.group } else { nil }
    }
    #expect(Set(groups).count == groups.count && groups.contains("camp-mug"))
    #expect(
      try await lookup().suggestedEntities(types: [.store], limit: 2).map(\.id.type) == [
        .store, .store,
      ])
  }

  /// A word of a description finds the entity after those that have it in their titles, and answers to
  /// matches do not carry twenty thousand characters each.
  @Test func `descriptions are searched, and long ones are not in answers to matches`() async throws
  {
    let folder = try TemporaryDirectory()
    let long = String(repeating: "A kettle for long evenings. ", count: 40)
    let rows = [
      #"{"type":"product","id":"a","title":"Pot","description":"\#(long)"}"#,
      #"{"type":"product","id":"b","title":"Kettle"}"#,
      #"{"type":"product","id":"c","title":"Cup","description":"Short."}"#,
    ]
    let settings = ShopSettings(publicFields: ["description"])
    let indexer = Indexer(directory: folder.path + "/shop.vq", settings: settings)
    let path = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    _ = try await indexer.run(path: path)
    let lookup = EntityLookup(catalogue: try Catalogue(directory: indexer.directory))
    #expect(try await lookup.entities(matching: "kettle").map(\.id.value) == ["b", "a"])
    #expect(try await lookup.entities(matching: "evening pot").map(\.id.value) == ["a"])
    let values = try await lookup.entities(for: [product("a"), product("c")])
    let projection = try await lookup.publicProjection(of: values.map(\.id))
    let whole = values.map { projection.object(for: $0).text.contains("description") }
    let brief = values.map {
      projection.object(for: $0, leavesOutDescription: true).text.contains("description")
    }
    #expect(whole == [true, true] && brief == [false, true])
  }

  @Test(arguments: [
    ("mug", 4), ("MUGS", 4), ("Bécher", 0), ("Campingbecher", 4), ("camping", 5), ("tin cup", 1),
    ("mug red", 1), ("red mu", 1), ("northli", 5), ("", 0), ("  \"*' ", 0), ("AND", 3),
    ("mug OR kettle", 0), ("title:mug", 0), ("grün", 1), ("grun", 1), ("haferflocken", 1),
  ])
  func `words are found in any form and order`(text: String, count: Int) async throws {
    let found = try await lookup().entities(matching: text, limit: 5)
    #expect(found.count == count)
    #expect(try await lookup().entities(matching: text, limit: 5) == found)
  }

  @Test(arguments: [
    ("lantren", "lantern"), ("lanterm", "lantern"), ("lntern", "lantern"), ("Laantern", "lantern"),
    ("latnenr", "lantern"), ("kettel", "kettle"), ("ketle", "kettle"), ("candel", "candle"),
    ("haferflcken", "oats"), ("nortlight lantren", "lantern"), ("lanterrrn", "lantern"),
  ])
  func `a word with one or two wrong letters is found`(text: String, id: String) async throws {
    let found = try await lookup().entities(matching: text)
    #expect(found.first?.id.value == id)
  }

  @Test(arguments: ["mgu", "tni", "lanxxxn", "ketxxe", "qqqqqqqq", "lantren zzzzzz"])
  func `a word with too many mistakes for its length is not found`(text: String) async throws {
    #expect(try await lookup().entities(matching: text).isEmpty)
  }

  /// Would break if a word that is meant were mixed with those that merely look like it, or if the word
  /// of an entity that is gone found anything.
  @Test func `exact words come first, then similar ones`() async throws {
    let shop = try DrawnShop()
    func row(_ id: String, _ title: String) -> String {
      #"{"type":"product","id":"\#(id)","title":"\#(title)"}"#
    }
    let rows = [
      row("a", "Camp lamb"), row("b", "Camp lamp with a long title"), row("c", "Damp lamp"),
    ]
    try await shop.run(rows)
    func found(_ text: String, limit: Int = 10) async throws -> [String] {
      try await EntityLookup(catalogue: Catalogue(directory: shop.index))
        .entities(matching: text, limit: limit).map(\.id.value)
    }
    #expect(try await found("camp lamp").first == "b")
    #expect(try await found("camp lamp").sorted() == ["a", "b", "c"])
    #expect(try await found("camp lamp", limit: 1) == ["b"])
    // A word that the shop has stays as it is while the other one is corrected.
    #expect(try await found("lapm camp") == ["b", "c"])
    try await shop.run(Array(rows.dropFirst()), IndexOptions(prunesMissing: true))
    #expect(try await found("camp lamb").sorted() == ["b", "c"])
    // The catalogue of the run before has its own words.
    _ = try await CatalogueUpkeep(directory: shop.index).rollBack()
    #expect(try await found("camp lamb").first == "a")
  }

  /// Every word that one or two mistakes make of another finds it, as a comparison with all words would.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the parts of a word find all that is near it`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let letters = Array("abcdé")
    let word = String(
      (0..<Int.random(in: 4...14, using: &generator)).map { _ in
        letters.randomElement(using: &generator)!
      })
    var typed = Array(word)
    let swaps = Bool.random(using: &generator)
    for _ in 0..<(swaps ? 1 : WordParts.mistakes(in: word)) {
      let place = Int.random(in: 0..<typed.count - 1, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case _ where swaps: typed.swapAt(place, place + 1)
      case 0: typed.remove(at: place)
      case 1: typed.insert("x", at: place)
      default: typed[place] = "x"
      }
    }
    let text = String(typed)
    guard (1...max(1, WordParts.mistakes(in: text))).contains(Suggestion.editDistance(text, word)),
      WordParts.mistakes(in: text) > 0
    else { return }
    #expect(
      !Set(WordParts.candidates(for: text)).isDisjoint(with: WordParts.parts(of: word)),
      "\(word) \(text)")
    #expect(WordParts.candidates(for: text).count <= 75)
  }

  @Test func `a title counts more than a label`() async throws {
    let folder = try TemporaryDirectory()
    let rows = [
      #"{"type":"product","id":"a","title":"Plate","labels":["mug"]}"#,
      #"{"type":"product","id":"b","title":"Mug"}"#,
      #"{"type":"product","id":"c","title":"Plate","subtitle":"with a mug"}"#,
    ]
    _ = try await Indexer(directory: folder.path + "/i.vq")
      .run(path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    let lookup = EntityLookup(catalogue: try Catalogue(directory: folder.path + "/i.vq"))
    #expect(try await lookup.entities(matching: "mug").first?.id.value == "b")
  }

  @Test(arguments: [
    (["price<10"], ["coffee-tin", "oats", "tea-mint", "tea-rooibos"]),
    (["brand=Northlight", "price>=89"], ["backpack", "blanket-blue", "blanket-red"]),
    (["group=camp-mug", "availability!=inStock"], ["mug-green"]),
    (["title~CAMP M", "id$=red"], ["mug-red"]), (["id^=mug-r"], ["mug-red"]),
    (["labels=kettle"], ["kettle"]), (["labels=Kettles"], ["kettle"]),
    (["labels!=MUGS", "group=camp-mug"], []), (["stock=kettle"], ["alpine"]),
    (["title=no such thing"], []), (["subtitle~GRÜN"], []),
    (["price=14.90", "id$=red"], ["mug-red"]),
    (["title='; DROP TABLE entities; --"], []),
  ])
  func `conditions hold one and all`(conditions: [String], ids: [String]) async throws {
    let comparators = try conditions.map { try #require(EntityComparator($0)) }
    let found = try await lookup().entities(
      matching: comparators, sortedBy: [EntitySort(by: "id")])
    #expect(found.map(\.id.value) == ids)
  }

  @Test(arguments: [
    ("prise<20", "no entity has a property 'prise'; did you mean 'price'?"),
    ("featurd=1", "no entity has a property 'featurd'"), ("no-such-field=1", "'no-such-field'"),
    ("material~oak", "no entity has a property 'material'"),
    ("price<abc", "'price' is a number; found 'abc'"),
    ("latitude>=north", "'latitude' is a number; found 'north'"),
    ("price=nan", "'price' is a number; found 'nan'"),
  ])
  func `a condition that no entity can meet by its name or type is refused`(
    condition: String, message: String
  ) async throws {
    let comparator = try #require(EntityComparator(condition))
    let lookup = try await lookup()
    let error = await #expect(throws: MatchError.self) {
      try await lookup.entities(matching: [comparator])
    }
    #expect(error?.code == .invalidFilter)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    await #expect(throws: MatchError.self) {
      try await matcher.values(
        for: SemanticContent(labels: ["mug"]),
        options: MatchOptions(filters: [.product: EntityFilter(comparators: [comparator])]))
    }
  }

  /// Would break if a suggestion offered a field that the last entity lost.
  @Test func `a field of removed entities is known, but not suggested`() async throws {
    let shop = try DrawnShop()
    try await shop.run([
      #"{"type":"product","id":"a","title":"A","weight":7}"#,
      #"{"type":"product","id":"b","title":"B","colour":"red"}"#,
    ])
    func found(_ condition: String) async throws -> [String] {
      let lookup = EntityLookup(catalogue: try Catalogue(directory: shop.index))
      return try await lookup.entities(matching: [#require(EntityComparator(condition))])
        .map(\.id.value)
    }
    func message(_ condition: String) async -> String? {
      let error = await #expect(throws: MatchError.self) { try await found(condition) }
      return error?.message
    }
    #expect(try await found("weight=7") == ["a"])
    let near = "no entity has a property 'wieght'"
    #expect(await message("wieght=7") == near + "; did you mean 'weight'?")
    _ = try await Indexer(directory: shop.index).remove([product("a")])
    #expect(await message("wieght=7") == near)
    #expect(
      await message("color=red") == "no entity has a property 'color'; did you mean 'colour'?")
    // A filter that an app always sends does not become an error.
    #expect(try await found("weight=7").isEmpty)
  }

  /// Would break if a condition compared labels in another way than the list of labels is made.
  @Test func `a condition finds each label that is listed`() async throws {
    let shop = try DrawnShop()
    try await shop.run([
      #"{"type":"product","id":"a","title":"A","labels":["Cookies","Camp Coffee Mugs"]}"#,
      #"{"type":"product","id":"b","title":"B","labels":["Crème brûlée","coffee mug"]}"#,
      #"{"type":"store","id":"c","title":"C","labels":["Grey boxes","★"]}"#,
    ])
    let catalogue = try Catalogue(directory: shop.index)
    let lookup = EntityLookup(catalogue: catalogue)
    let listed = try catalogue.labels()
    #expect(listed.count == 8)
    for label in listed {
      let condition = try #require(EntityComparator("labels=\(label.label)"))
      let found = try await lookup.entities(matching: [condition])
      #expect(found.count == label.entities, "\(label.label)")
      let others = EntityComparator("labels", .notEqualTo(.text(label.label)))
      #expect(try await lookup.entities(matching: [others]).count == 3 - label.entities)
      let filter = EntityFilter(comparators: [condition])
      let answer = try await Matcher(unhurried: catalogue).values(
        for: SemanticContent(labels: ["mug", "box", "cookies", "creme brulee"]),
        options: MatchOptions(
          filters: [.product: filter, .store: filter], minimumConfidence: 0, timeout: nil))
      #expect(answer.matches.count == label.entities, "\(label.label)")
    }
    // A label without letters is compared as it is.
    let star = EntityComparator("labels", .equalTo("★"))
    #expect(try await lookup.entities(matching: [star]).map(\.id.value) == ["c"])
  }

  @Test(arguments: [
    ("mug-rde", "product:mug-red"), ("mug-re", "product:mug-red"), ("harbor", "store:harbour"),
    ("qqqqqq", nil),
  ])
  func `the id nearest to a mistyped one is found`(text: String, meant: String?) async throws {
    #expect(try await lookup().nearestID(to: text)?.description == meant)
    #expect(try await lookup().nearestID(to: "harbor", types: [.product]) == nil)
  }

  @Test func `either condition is enough in the other mode`() async throws {
    let found = try await lookup().entities(
      matching: [
        EntityComparator("id", .equalTo("oats")), EntityComparator("price", .isBetween(41, 43)),
      ], mode: .or, sortedBy: [EntitySort(by: "price", order: .descending)])
    #expect(found.map(\.id.value) == ["kettle", "oats"])
  }

  @Test func `what has no such property comes last`() async throws {
    let found = try await lookup().entities(
      matching: [], sortedBy: [EntitySort(by: "price")], limit: 1000)
    #expect(found.count == 32)
    #expect(found.suffix(4).allSatisfy { $0.id.type == .store })
    let reversed = try await lookup().entities(
      matching: [], sortedBy: [EntitySort(by: "price", order: .descending)], limit: 1000)
    #expect(reversed.suffix(4).allSatisfy { $0.id.type == .store })
  }

  @Test(arguments: ["a\"b", "a'b", "a)b", "", "x\u{0}"])
  func `a name that is none is refused`(name: String) async throws {
    let lookup = try await lookup()
    await #expect(throws: MatchError.self) {
      _ = try await lookup.entities(matching: [
        EntityComparator(EntityProperty(name), .equalTo("x"))
      ])
    }
    await #expect(throws: MatchError.self) {
      _ = try await lookup.entities(matching: [], sortedBy: [EntitySort(by: EntityProperty(name))])
    }
  }

  @Test(arguments: ["price", "=3", "price ?", ""])
  func `what is no condition is none`(text: String) { #expect(EntityComparator(text) == nil) }

  /// Would break if ids were compared by canonical equivalence anywhere between feed and answer.
  @Test func `entities whose ids differ in bytes alone are two`() async throws {
    let ids = ["caf\u{E9}", "cafe\u{301}"].map { product($0) }
    let store = EntityID(type: .store, value: "s")
    let shop = try DrawnShop()
    let rows =
      ids.map { #"{"type":"product","id":"\#($0.value)","title":"T","labels":["mug"]}"# }
      + [#"{"type":"store","id":"s","title":"S","stock":["\#(ids[0].value)","\#(ids[1].value)"]}"#]
    #expect(try await shop.run(rows).1 == [])
    let catalogue = try Catalogue(directory: shop.index)
    let lookup = EntityLookup(catalogue: catalogue)
    #expect(try await lookup.entities(for: [ids[1], ids[0]]).map(\.id) == [ids[1], ids[0]])
    // Each is found by a search, by its token, and in the store that stocks it.
    let matcher = Matcher(unhurried: catalogue)
    let first = try await matcher.values(
      for: SemanticContent(labels: ["mug"]),
      options: MatchOptions(limit: 1, typeLimits: [:], types: [.product], timeout: nil))
    let second = try await matcher.values(continuing: #require(first.continuation))
    #expect((first.matches + second.matches).map(\.value.id) == ids.sorted())
    for id in ids {
      var stocked: [String] = []
      try catalogue.read { database throws(CatalogueError) in
        try database.stores.forEach(withProduct: id.value) {
          stocked.append($0.id)
          return true
        }
      }
      #expect(stocked == [store.value])
    }
    // A row whose id changed its form only is another entity, and the former one is pruned.
    let state = try await lookup.changes(since: nil).state
    try await shop.run([rows[0], rows[2]], IndexOptions(prunesMissing: true))
    let after = EntityLookup(catalogue: try Catalogue(directory: shop.index))
    #expect(try await after.changes(since: state).tombstones == [ids[1]])
  }

  /// Would break if one damaged row failed every list that it is on, as a row stored as `null` did.
  @Test(arguments: [
    "null", "{}", "[[[1]]]", #"{"type":"product","id":"b","title":7}"#,
    #"{"x":"# + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "}",
  ])
  func `an entity that cannot be read is left out, and reported`(json: String) async throws {
    let shop = try DrawnShop()
    let rows = ["a", "b", "c"].map {
      #"{"type":"product","id":"\#($0)","title":"T","labels":["mug"],"brand":"B"}"#
    }
    try await shop.run(rows)
    let state = try await EntityLookup(catalogue: Catalogue(directory: shop.index)).changes(
      since: nil
    )
    .state
    let connection = try CatalogueConnection(path: shop.index + "/catalogue.sqlite", mode: .write)
    try connection.statement("UPDATE entities SET json = ? WHERE id = 'b'").bind(.text(json)).run()
    try connection.execute("UPDATE changes SET sequence = sequence + 10")

    let catalogue = try Catalogue(directory: shop.index)
    let lookup = EntityLookup(catalogue: catalogue)
    let others = [product("a"), product("c")]
    #expect(
      try await lookup.entities(for: [others[0], product("b"), others[1]]).map(\.id) == others)
    #expect(try await lookup.suggestedEntities().map(\.id) == others)
    #expect(try await lookup.entities(matching: "mug").map(\.id) == others)
    for size in [1, 2, 10] {
      var paged: [EntityID] = []
      for try await page in lookup.allEntities(pageSize: size) { paged += page.map(\.id) }
      #expect(paged == others)
    }
    let changes = try await lookup.changes(since: state)
    #expect(changes.upserts.map(\.id) == others && changes.tombstones == [product("b")])
    let answer = try await Matcher(unhurried: catalogue).values(
      for: SemanticContent(labels: ["mug"]), options: MatchOptions(timeout: nil))
    #expect(answer.matches.map(\.value.id) == others)

    #expect(
      try await CatalogueUpkeep(directory: shop.index).verify().contains {
        $0.hasPrefix("product:b cannot be read")
      })
    let findings = try await CatalogueDoctor(catalogue: catalogue).findings()
    #expect(findings.filter { $0.kind == .unreadable }.map(\.id) == ["product:b"])
    // A changed row of the feed repairs it, even if the stored entity cannot be read.
    for policy in [IndexOptions.ConflictPolicy.merge, .keep, .replace] {
      try connection.statement("UPDATE entities SET json = ?, rowHash = NULL WHERE id = 'b'")
        .bind(.text(json)).run()
      try await shop.run(rows, IndexOptions(onConflict: policy))
      #expect(try await shop.product("b")?.title == "T")
    }
  }

  @Test(arguments: [1, 7, 32, 100])
  func `pages hold everything once`(size: Int) async throws {
    var all: [EntityID] = []
    for try await page in try await lookup().allEntities(pageSize: size) {
      #expect(page.count <= size && !page.isEmpty)
      all += page.map(\.id)
    }
    #expect(all.count == 32 && Set(all).count == 32)
    var stores = 0
    for try await page in try await lookup().allEntities(types: [.store], pageSize: size) {
      stores += page.count
    }
    #expect(stores == 4)
  }
}
