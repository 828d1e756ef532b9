#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// The accepted statements about answers as labelled photos, as far as their images were kept with consent.
struct SaidQueries {
  /// The file of the queries, or `nil` if there are none.
  let file: String?
  /// The number of accepted statements that name the right entity but have no image.
  let withoutImage: Int

  /// Writes the queries and their images.
  ///
  /// - Parameter folder: The folder to write to, which the caller removes.
  init(of index: String, in folder: String) throws {
    let kept = try KeptFeedback(existingIn: index)
    var (lines, withoutImage): ([String], Int) = ([], 0)
    for statement in try (kept?.statements() ?? []).reversed() {
      let name = "\(statement.number).jpg"
      guard let query = FeedbackEvaluationQuery(statement, image: name) else { continue }
      guard let image = try kept?.image(of: statement.number) else {
        withoutImage += 1
        continue
      }
      try Data(image).write(to: URL(filePath: folder + "/" + name))
      lines.append(try JSONLines.line(query) + "\n")
    }
    self.withoutImage = withoutImage
    let path = folder + "/queries.jsonl"
    file = lines.isEmpty ? nil : path
    if !lines.isEmpty { try Data(lines.joined().utf8).write(to: URL(filePath: path)) }
  }
}
