import Foundation
import VisualQuery

/// A shop in one program: it indexes a feed, again whenever the feed changes, and answers questions meanwhile.
///
/// A question is the path of a picture, on a line of standard input. Its answer is a line with the generation that
/// answered, the confidence, the entity, its title and the link that opens it.
@main
struct OneProgram {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: OneProgram FEED INDEX < PICTURES")
      return
    }
    let shop = try await LiveShop(
      feed: CommandLine.arguments[1], directory: CommandLine.arguments[2])
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await shop.follow() }
      while let path = readLine() {
        print(await answer(to: path, shop))
        fflush(nil)
      }
      // Nobody asks any more.
      group.cancelAll()
    }
  }

  private static func answer(to path: String, _ shop: LiveShop) async -> String {
    do {
      let picture = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let answer = try await shop.answer(to: picture)
      // An answer that is not sure may still list what the image shows.
      guard let match = answer.matches.first ?? answer.possible.first else {
        return "\(answer.generation)\tnothing"
      }
      let confidence = (match.confidence * 100).rounded() / 100
      return [
        "\(answer.generation)", "\(confidence)", "\(match.value.id)", match.display.title,
        match.handoff.url ?? "",
      ].joined(separator: "\t")
    } catch {
      // The picture caused the error: the program goes on.
      return "\(path): \(error)"
    }
  }
}
