import HTTPServer

/// The parts of a form that has no others than some known ones.
struct FormParts {
  private let body: [UInt8]
  private let parts: [Multipart.Part]

  /// - Throws: ``Problem`` for a part of another name.
  init(_ body: [UInt8], _ boundary: String, names: [String]) throws {
    self.body = body
    parts = try Multipart.parts(of: body, boundary: boundary)
    guard let other = parts.first(where: { !names.contains($0.name) }) else { return }
    let quoted = names.map { "'\($0)'" }
    let list = quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    throw Problem(
      .invalidField, "there is no part '\(other.name.excerpt)' here; send \(list)",
      field: other.name.excerpt)
  }

  /// Returns the content of a part, or `nil` if the form does not have it.
  func content(_ name: String, limit: Int = .max) throws(Problem) -> [UInt8]? {
    guard let part = parts.first(where: { $0.name == name }) else { return nil }
    guard part.content.count <= limit else {
      throw Problem(
        .bodyTooLarge, "the part '\(name)' has more than \(limit) bytes", field: name,
        limit: limit)
    }
    return Array(body[part.content])
  }
}
