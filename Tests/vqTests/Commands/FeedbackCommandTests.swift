import Foundation
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// `vq feedback`, as a shop types it.
@Suite struct FeedbackCommandTests {
  private let folder: TemporaryDirectory
  private var index: String { folder.path + "/i.vq" }

  /// A shop without images, so that it is made at once, with two statements about labels.
  init() throws {
    folder = try TemporaryDirectory()
    try makeIndex(index)
    let kept = try KeptFeedback(directory: index)
    for (label, state) in [("mug", FeedbackStatement.State.active), ("cup", .pending)] {
      _ = try kept.add(
        FeedbackStatement.Content(
          query: FeedbackQuery(labels: [label], signatureText: nil),
          chosen: EntityID(type: .product, value: "b"),
          rejected: [EntityID(type: .product, value: "a")]),
        state: state, author: "shop", time: 86_400, image: label == "mug" ? [1, 2, 3] : nil)
    }
  }

  private func makeIndex(_ path: String) throws {
    let rows = ["a", "b"].map {
      #"{"type":"product","id":"\#($0)","title":"\#($0)","labels":["mug","cup"]}"#
    }
    let file = try folder.write(rows.joined(separator: "\n"), to: "c.jsonl")
    #expect(try RunningVQ(["index", file, "--index", path, "-q"]).status == 0)
  }

  private func feedback(_ arguments: String..., in index: String? = nil) throws -> RunningVQ {
    try RunningVQ(["feedback"] + arguments + ["--index", index ?? self.index])
  }

  private func matched(_ label: String) throws -> String {
    try RunningVQ(["match", "--labels", label, "--explain", "--index", index]).output
  }

  @Test func `statements are listed, accepted and undone`() throws {
    let list = try feedback("list").output.split(separator: "\n").map(String.init)
    #expect(list.count == 3)
    #expect(list[1].contains("2  pending  1970-01-02  shop  not product:a; is product:b"))
    #expect(try matched("mug").contains("product:a is left out"))
    #expect(try !matched("cup").contains("statement"))
    #expect(try feedback("accept", "2").output == "1 statement accepted.\n")
    #expect(try matched("cup").contains("statement 2"))
    #expect(try feedback("remove", "1", "2").output == "2 statements removed.\n")
    #expect(try feedback("list").output == "No statements.\n")
    #expect(try !matched("mug").contains("statement"))
  }

  @Test func `an export is imported as it was, once`() throws {
    let export = try feedback("export").output
    let file = try folder.write(export, to: "said.jsonl")
    let other = folder.path + "/other.vq"
    try makeIndex(other)
    #expect(try feedback("import", file, in: other).output.hasPrefix("2 statements imported"))
    #expect(try feedback("import", file, in: other).output.hasPrefix("0 statements imported"))
    #expect(try feedback("export", in: other).output == export)
  }

  /// Would break if a large file were one transaction, or if what came before a bad line were lost or not
  /// reported.
  @Test func `a long file is imported in batches, up to the line that is none`() throws {
    func line(_ number: Int) -> String {
      #"{"state":"active","time":1,"labels":["word \#(number)"],"chosen":"product:a","rejected":[]}"#
    }
    let other = folder.path + "/many.vq"
    try makeIndex(other)
    let lines = (1...700).map(line)
    let broken = try folder.write(
      (lines.prefix(600) + ["", "{}"] + lines.suffix(100)).joined(separator: "\n"), to: "many.jsonl"
    )
    let failed = try feedback("import", broken, in: other)
    #expect(failed.status == 1 && failed.errors.contains("line 602: it is not a statement"))
    #expect(failed.errors.contains("600 statements imported, those of the lines before it"))
    let whole = try folder.write(lines.joined(separator: "\n") + "\n", to: "all.jsonl")
    #expect(try feedback("import", whole, in: other).output.hasPrefix("100 statements imported"))
    let numbers = try feedback("list", "--json", in: other).output.split(separator: "\n").count
    #expect(numbers == 700)
  }

  @Test(arguments: [
    (["remove", "7"], 1, "there is no statement 7"),
    (["remove", "x"], 2, "'x' is not the number of a statement"),
    (["remove"], 2, "takes the numbers of statements"), (["lst"], 2, "vq feedback' takes list"),
    (["list", "3"], 2, "takes nothing else"), (["import", "none.jsonl"], 1, "cannot read"),
  ])
  func `mistakes are named and change nothing`(
    arguments: [String], status: Int32, message: String
  ) throws {
    let before = try feedback("export").output
    let failed = try RunningVQ(["feedback"] + arguments + ["--index", index])
    #expect(failed.status == status && failed.errors.contains(message), "\(failed.errors)")
    #expect(try feedback("export").output == before)
  }

  @Test func `a file that is no export names its line`() throws {
    let file = try folder.write(#"{"state":"active"}"# + "\n", to: "bad.jsonl")
    let failed = try feedback("import", file)
    #expect(failed.status == 1 && failed.errors.contains("line 1"))
  }
}
