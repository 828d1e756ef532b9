import Foundation
import VisualQuery

/// A server without a network: a request a line on standard input, an answer a line on standard
/// output, in the order in which they are ready.
///
/// A request is the path of an image, then, after a tab, labels between commas.
@main
struct Embed {
  static func main() async throws {
    guard let directory = CommandLine.arguments.dropFirst().first else {
      print("usage: Embed INDEX < REQUESTS")
      return
    }
    let search = try ShopSearch(directory: directory)
    try await withThrowingTaskGroup(of: Void.self) { group in
      while let line = readLine() {
        group.addTask { try await serve(line, search) }
      }
      try await group.waitForAll()
    }
  }

  private static func serve(_ line: String, _ search: ShopSearch) async throws {
    let parts = line.split(separator: "\t", maxSplits: 1)
    guard let path = parts.first else { return }
    var question = ShopSearch.Question()
    question.labels = parts.dropFirst().flatMap { $0.split(separator: ",") }.map(String.init)
    do {
      question.image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: String(path))))
      let answer = try await search.answer(to: question)
      print(String(decoding: answer, as: UTF8.self))
    } catch {
      // The client's input caused the error: the server goes on.
      print(#"{"error":"\#(type(of: error))","query":"\#(path)"}"#)
    }
  }
}
