import TestSupport
import Testing

@testable import ShopScale
@testable import ShopStore
import VisualQuery

/// The contents that a copy of a catalogue takes from elsewhere.
@Suite struct ReplicaDatabaseTests {
  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for id in 0..<3 { try shop.draw("p\(id).jpg", seed: UInt64(id)) }
    try await shop.run((0..<3).map { DrawnShop.row("p\($0)") })
    return shop
  }

  /// Would break if a server said that it follows PostgreSQL while that has not responded for a minute.
  @Test func `a copy that hears nothing does not follow`() {
    var status = CatalogueReplica.Status()
    #expect(status.isFollowing)
    status.lastCurrent = .now
    #expect(status.isFollowing)
    status.lastCurrent = .now - .seconds(60)
    #expect(!status.isFollowing)
    status.lastCurrent = .now
    status.error = CatalogueError(code: .unreachable, message: "it does not respond")
    #expect(!status.isFollowing)
  }

  /// Would break if a copy gave numbers of its own: continuations and states of other servers would
  /// then name other entities.
  @Test func `an entity keeps the numbers that it was given elsewhere`() async throws {
    let shop = try await Self.shop()
    let database = try CatalogueDatabase(writing: shop.index)
    let value = try #require(
      try database.tables.entities.values(of: [EntityID(type: .product, value: "p1")]).first)
    try database.begin()
    _ = try database.remove(value.id)
    let key = try database.upsert(
      value, rowHash: nil, at: CatalogueDatabase.Place(key: 70, sequence: 90))
    try database.tables.sequences.set(SequenceTable.LastNumbers(key: 75, sequence: 95, segment: 9))
    _ = try database.commit()
    #expect(key == 70)
    #expect(try database.tables.changeLog.changes(after: 89, limit: 9).map(\.sequence) == [90])
    // Numbers that were given elsewhere and are free again are not given again.
    try database.begin()
    let next = try database.upsert(
      .product(Product(id: "new", title: "New")), rowHash: nil)
    #expect(next == 76)
    #expect(try database.tables.changeLog.changes(after: 90, limit: 9).map(\.sequence) == [96])
    try database.rollBack()
  }

  /// Would break if a generation were published here although it could not be published there.
  @Test func `a generation that cannot be published elsewhere is not published here`() async throws
  {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let database = try CatalogueDatabase(writing: shop.index)
    let generation = try database.tables.state.current().generation
    database.beforeCommit = { () throws(CatalogueError) in
      throw CatalogueError(code: .unreachable, message: "down")
    }
    try database.begin()
    _ = try database.remove(EntityID(type: .product, value: "p1"))
    #expect(throws: CatalogueError.self) { _ = try database.commit() }
    try database.rollBack()
    #expect(try database.tables.state.current().generation == generation)
    #expect(try await shop.exported() == before)
  }

  /// Would break if the link of a copy went along into an export or an answer.
  @Test func `the link of a copy is not part of its contents`() async throws {
    let shop = try await Self.shop()
    let before = try await shop.exported()
    let database = try CatalogueDatabase(writing: shop.index)
    let digest = try ContentDigest(database.tables, shop.index)
    try database.tables.replica.set(origin: "postgres:///shop")
    try database.tables.replica.set(token: "0123")
    #expect(try ContentDigest(database.tables, shop.index).text == digest.text)
    #expect(try await shop.exported() == before)
    try database.tables.settings.set("publicFields", to: #"["care"]"#)
    #expect(try ContentDigest(database.tables, shop.index).text != digest.text)
  }

  /// Would break if only the number of a generation were compared: after the promotion of a standby
  /// that was behind, another generation has the same number.
  @Test func `another generation with the same number is opened`() async throws {
    let shop = try await Self.shop()
    let database = try CatalogueDatabase(writing: shop.index)
    try database.tables.replica.set(token: "first")
    let current = try CurrentCatalogue(directory: shop.index)
    #expect(try current.catalogue().publicFields.isEmpty)
    try database.connection.execute("BEGIN IMMEDIATE")
    try database.tables.settings.set("publicFields", to: #"["care"]"#)
    try database.tables.replica.set(token: "second")
    try database.connection.execute("COMMIT")
    #expect(try current.catalogue().publicFields == ["care"])
  }
}
