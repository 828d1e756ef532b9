@testable import ShopSearch
import Foundation
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// The file of statements.
@Suite struct KeptFeedbackTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func content(
    _ label: String = "mug", chosen: String? = "mug-red", rejected: [String] = []
  ) throws -> FeedbackStatement.Content {
    try FeedbackStatement.Content(
      query: FeedbackQuery(labels: [label], signature: []),
      chosen: chosen.map { EntityID(type: .product, value: $0) },
      rejected: rejected.map { EntityID(type: .product, value: $0) })
  }

  private func code(_ body: () throws -> Void) -> FeedbackError.Code? {
    do {
      try body()
      return nil
    } catch let error as FeedbackError {
      return error.code
    } catch {
      Issue.record(error)
      return nil
    }
  }

  @Test func `a statement that says nothing or too much is not accepted`() throws {
    #expect(code { _ = try content(chosen: nil) } == .nothingSaid)
    #expect(code { _ = try content(" ") } == .nothingSaid)
    #expect(code { _ = try content(rejected: ["mug-red"]) } == .contradiction)
    #expect(code { _ = try content(rejected: (0..<17).map { "id\($0)" }) } == .tooMuch)
  }

  @Test func `what is said twice is kept once, and numbers are not used again`() throws {
    let kept = try KeptFeedback(directory: folder.path)
    let first = try kept.add(content(), state: .active, author: "a", time: 5)
    #expect(first.isNew && first.statement.number == 1)
    let second = try kept.add(content("Mug"), state: .active, author: "b", time: 6)
    #expect(!second.isNew && second.statement == first.statement)
    #expect(try kept.add(content(), state: .pending, time: 7).isNew)
    #expect(try kept.remove(2) && !kept.remove(2))
    #expect(try kept.add(content("cup"), state: .active, time: 8).statement.number == 3)
    #expect(try kept.statements().map(\.number) == [3, 1])
    #expect(try kept.statements(before: 3).map(\.number) == [1])
  }

  /// Would break if a batch had another result than its statements one by one.
  @Test func `a batch is added up to the first that is refused`() throws {
    var limits = KeptFeedback.Limits()
    limits.statements = 3
    let kept = try KeptFeedback(directory: folder.path, limits: limits)
    _ = try kept.add(content("known"), state: .active, time: 1)
    let texts = ["a", "known", "a", "b", "c", "d"]
    let added = try kept.add(
      texts.map { KeptFeedback.Addition(try content($0), state: .active, time: 2) })
    #expect(added.statements.map(\.isNew) == [true, false, false, true])
    #expect(added.statements.map(\.statement.number) == [2, 1, 2, 3])
    #expect(added.refusal?.code == .full)
    #expect(try kept.statements().map(\.number) == [3, 2, 1])
    #expect(try kept.add([]).statements.isEmpty)
  }

  /// A place that is down, or that refuses the change after it was made.
  private struct Failing: FeedbackOrigin {
    let isDown: Bool

    func publish<Value>(
      _ copy: CatalogueConnection,
      _ change: () throws(CatalogueError) -> (result: Value, numbers: [Int])
    ) throws(CatalogueError) -> Value {
      if !isDown { _ = try change() }
      throw CatalogueError(code: .unreachable, message: "down")
    }
  }

  /// Would break if a copy kept a statement that other servers never hear of.
  @Test(arguments: [true, false])
  func `what cannot be published is not kept`(isDown: Bool) throws {
    _ = try KeptFeedback(directory: folder.path).add(content(), state: .pending, time: 5)
    let kept = try KeptFeedback(
      directory: folder.path, limits: KeptFeedback.Limits(), origin: Failing(isDown: isDown))
    let before = try kept.statements()
    #expect(throws: CatalogueError.self) { try kept.add(content("cup"), state: .active, time: 6) }
    #expect(throws: CatalogueError.self) {
      try kept.add([KeptFeedback.Addition(try content("cap"), state: .active, time: 7)])
    }
    #expect(throws: CatalogueError.self) { try kept.accept(1) }
    #expect(throws: CatalogueError.self) { try kept.remove(1) }
    #expect(try kept.statements() == before)
  }

  @Test func `statements are found by the entities that they name`() throws {
    let kept = try KeptFeedback(directory: folder.path)
    // An id with the characters of the list that it is kept in.
    let odd = #"a","b"#
    _ = try kept.add(content(rejected: [odd, "c"]), state: .active, time: 1)
    _ = try kept.add(content("cup", chosen: "c"), state: .active, time: 1)
    func numbers(_ id: String) throws -> [Int] {
      try kept.statements(about: EntityID(type: .product, value: id)).map(\.number)
    }
    #expect(try numbers(odd) == [1])
    #expect(try numbers("c") == [2, 1])
    #expect(try numbers("b").isEmpty)
    #expect(try kept.statements().last?.content.rejected.map(\.value) == [odd, "c"])
  }

  @Test func `there is room for so many and no more`() throws {
    var limits = KeptFeedback.Limits()
    (limits.statements, limits.pending) = (3, 1)
    (limits.imageBytes, limits.allImageBytes) = (10, 15)
    let kept = try KeptFeedback(directory: folder.path, limits: limits)
    let large = [UInt8](repeating: 1, count: 11)
    #expect(
      code { _ = try kept.add(content(), state: .active, time: 1, image: large) } == .tooMuch)
    _ = try kept.add(content("a"), state: .pending, time: 1, image: Array(large.dropLast()))
    #expect(code { _ = try kept.add(content("b"), state: .pending, time: 1) } == .full)
    #expect(
      code {
        _ = try kept.add(content("b"), state: .active, time: 1, image: Array(large.dropLast()))
      } == .full)
    _ = try kept.add(content("b"), state: .active, time: 1)
    _ = try kept.add(content("c"), state: .active, time: 1)
    #expect(code { _ = try kept.add(content("d"), state: .active, time: 1) } == .full)
    #expect(try kept.image(of: 1)?.count == 10 && kept.image(of: 2) == nil)
  }

  /// Would break if statements of strangers could use up the room for the images of the shop's own.
  @Test func `images that wait have a room of their own`() throws {
    var limits = KeptFeedback.Limits()
    (limits.allImageBytes, limits.pendingImageBytes) = (40, 15)
    let kept = try KeptFeedback(directory: folder.path, limits: limits)
    let image = [UInt8](repeating: 1, count: 10)
    let first = try kept.add(content("a"), state: .pending, time: 1, image: image).statement
    #expect(
      code { _ = try kept.add(content("b"), state: .pending, time: 1, image: image) } == .full)
    _ = try kept.add(content("b"), state: .pending, time: 1)
    // Lowers the limit below what is stored, as if an earlier version without the limit had stored it.
    limits.pendingImageBytes = 5
    let stricter = try KeptFeedback(directory: folder.path, limits: limits)
    _ = try stricter.add(content("f"), state: .pending, time: 1)
    for label in ["c", "d"] {
      _ = try kept.add(content(label), state: .active, time: 1, image: image)
    }
    _ = try kept.accept(first.number)
    _ = try kept.add(content("e"), state: .pending, time: 1, image: image)
  }

  @Test func `several writers lose nothing`() async throws {
    let path = folder.path
    let statements = try (0..<40).map { try content("label \($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let kept = try KeptFeedback(directory: path)
          for index in stride(from: writer, to: 40, by: 4) {
            _ = try kept.add(statements[index], state: .active, time: index)
          }
        }
      }
      try await group.waitForAll()
    }
    let kept = try KeptFeedback(directory: path)
    #expect(try Set(kept.statements().map(\.number)) == Set(1...40))
  }

  /// Would break if a reader kept what another process has changed, or a killed one left behind.
  @Test func `a reader sees each change, and a file that is not whole`() throws {
    let reader = FeedbackReader(directory: folder.path)
    #expect(try reader.index().isEmpty)
    _ = try folder.write([UInt8](), to: "feedback.sqlite")
    #expect(try reader.index().isEmpty)
    let kept = try KeptFeedback(directory: folder.path)
    #expect(try reader.index().isEmpty)
    let number = try kept.add(content(), state: .active, time: 1).statement.number
    #expect(try reader.index().effects(on: nil, labels: ["mug"]) != nil)
    #expect(try kept.remove(number))
    #expect(try reader.index().isEmpty)
    try FileManager.default.removeItem(atPath: folder.path + "/feedback.sqlite")
    #expect(try reader.index().isEmpty)
  }
}
