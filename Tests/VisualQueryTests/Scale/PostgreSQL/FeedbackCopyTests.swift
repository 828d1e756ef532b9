@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopScale
import VisualQuery

/// The statements that a copy takes from PostgreSQL.
@Suite struct FeedbackCopyTests {
  private let folder: TemporaryDirectory
  private let copy: FeedbackCopy

  init() throws {
    folder = try TemporaryDirectory()
    copy = try FeedbackCopy(try KeptFeedback.connect(folder.path))
  }

  private func row(_ number: Int, token: String, chosen: String = "product:a") -> PostgresRow {
    let values: [PostgresValue] = [
      .integer(number), .text(token), .text("active"), .integer(7), .null, .text(#"["mug"]"#),
      .bytes([]), .text(chosen), .text("[]"), number == 2 ? .bytes([1, 2]) : .null,
    ]
    return PostgresRow(columns: values.map(\.encoded))
  }

  private func numbers() throws -> [Int] {
    try KeptFeedback(directory: folder.path).statements().map(\.number)
  }

  /// Would break if a copy kept a statement of a server that was lost, whose number another one has.
  @Test func `a number that was given again is another statement`() throws {
    #expect(try copy.keep([1: "a", 2: "b"]) == [1, 2])
    try copy.insert(row(1, token: "a"))
    try copy.insert(row(2, token: "b"))
    #expect(try copy.keep([1: "a", 2: "c", 3: "d"]) == [2, 3])
    #expect(try numbers() == [1])
    try copy.insert(row(2, token: "c", chosen: "product:b"))
    #expect(try copy.keep([2: "c"]) == [])
    let statement = try #require(try KeptFeedback(directory: folder.path).statements().first)
    #expect(statement.number == 2 && statement.hasImage && statement.author == nil)
    #expect(statement.content.chosen == EntityID(type: .product, value: "b"))
  }

  /// Would break if two servers gave their statements the same number, or one gave that of a
  /// statement that was undone.
  @Test func `a copy gives the number after the last one that was ever given`() throws {
    try copy.insert(row(3, token: "a"))
    try copy.setState(
      PostgresFeedback.State(version: 9, token: "t", lastNumber: 8, isStandby: false))
    #expect(try copy.state()?.version == 9)
    let kept = try KeptFeedback(directory: folder.path)
    let said = try FeedbackStatement.Content(
      query: FeedbackQuery(labels: ["cup"], signature: []), chosen: nil,
      rejected: [EntityID(type: .product, value: "a")])
    #expect(try kept.add(said, state: .active, time: 1).statement.number == 9)
  }

  /// Would break if a row changed on its way to PostgreSQL and back.
  @Test func `a row is read as it was written`() throws {
    for number in 1...2 { try copy.insert(row(number, token: "a")) }
    var sent: [[PostgresValue]] = []
    try copy.forEachRow("number > 0") { sent.append($0) }
    #expect(sent.count == 2)
    for (values, number) in zip(sent, 1...) {
      let back = PostgresRow(columns: values.map(\.encoded))
      let original = row(number, token: back.text(1))
      #expect(back.columns == original.columns)
      #expect(back.text(1).count == 32)
    }
    #expect(try copy.keep([1: "a", 2: "a"]) == [1, 2], "a row that was sent has a new token")
  }
}
