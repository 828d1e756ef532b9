package import PixelMatch

/// An image, and what it should find.
package struct EvaluationQuery: Sendable, Hashable {
  /// Its name.
  package let query: String
  /// The image's path; empty if there is a signature instead.
  package let image: String
  /// The text of the image's signature, for an image that was not kept, or `nil`. It has no
  /// keypoints, so that crops are not found by it.
  package let signature: String?
  /// The ids of the entities that are right; none if the shop has nothing of the kind.
  package let truth: [String]
  /// Words for what is seen.
  package private(set) var labels: [String]
  /// The words beside the image; empty for none.
  package let text: String
  /// The embedding of the image, or `nil`.
  package let embedding: ImageEmbedding?
  /// The kind of edit that was made to the image; queries of one kind are reported together.
  package let edit: String

  /// Makes a query whose image is elsewhere.
  package init(truth: [String], labels: [String] = [], edit: String = "none") {
    (query, image, signature, text, embedding) = ("", "", nil, "", nil)
    (self.truth, self.labels, self.edit) = (truth, labels, edit)
  }

  /// The same question with other labels.
  package func labelled(_ labels: [String]) -> EvaluationQuery {
    var other = self
    other.labels = labels
    return other
  }

  /// Takes the fields of a JSON object; `query`, `labels`, `text` and `edit` may be missing, and so may `image`
  /// beside a `signature`.
  private init(_ json: JSONValue) throws(FieldError) {
    guard case .object(let fields) = json else {
      throw FieldError(field: nil, reason: "a query is a JSON object; found \(json.kind)")
    }
    func text(_ name: String) throws(FieldError) -> String? {
      switch fields[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default: throw FieldError(field: name, reason: "must be a string")
      }
    }
    func texts(_ name: String) throws(FieldError) -> [String]? {
      guard let value = fields[name], value != .null else { return nil }
      guard case .array(let values) = value else {
        throw FieldError(field: name, reason: "must be a list of strings")
      }
      var texts: [String] = []
      for value in values {
        guard case .string(let text) = value else {
          throw FieldError(field: name, reason: "must be a list of strings")
        }
        texts.append(text)
      }
      return texts
    }
    func required<Value>(_ value: Value?, _ name: String) throws(FieldError) -> Value {
      guard let value else {
        let near = Self.misspelt(fields).first { $0.meant == name }
        let found = near.map { "; found '\($0.key)'" } ?? ""
        throw FieldError(field: name, reason: "is missing\(found)")
      }
      return value
    }
    signature = try text("signature")
    image = try required(text("image") ?? signature.map { _ in "" }, "image")
    query = try text("query") ?? image
    truth = try required(texts("truth"), "truth")
    labels = try texts("labels") ?? []
    edit = try text("edit") ?? "none"
    self.text = try text("text") ?? ""
    do throws(FieldError) {
      embedding = try fields["embedding"].map { json throws(FieldError) in
        try ImageEmbedding(json: json)
      }
    } catch {
      throw error.within("embedding")
    }
  }

  private static let names = [
    "query", "image", "signature", "truth", "labels", "text", "embedding", "edit",
  ]

  /// Returns the unknown keys that are nearly a known one, in ascending order. Other keys may have any meaning.
  private static func misspelt(
    _ fields: [String: JSONValue]
  ) -> [(key: String, meant: String)] {
    fields.keys.filter { !names.contains($0) }.sorted().compactMap { key in
      Suggestion.nearest(to: key, among: names.filter { fields[$0] == nil })
        .map { (key, $0) }
    }
  }

  /// Returns whether an entity is right.
  package func isRight(_ id: EntityID) -> Bool {
    truth.contains { $0.hasSameBytes(as: id.value) || $0.hasSameBytes(as: id.description) }
  }

  /// Returns the entities that a right answer may name: `mug` is one of any type, and `product:mug` a product.
  package static func ids(named truth: String) -> [EntityID] {
    EntityType.allCases.map { EntityID(type: $0, value: truth) }
      + (EntityID(truth).map { [$0] } ?? [])
  }

  /// Reads JSON Lines: an object with `image` or `signature`, and `truth`, and perhaps `query`, `labels`, `text`,
  /// `embedding` and `edit`, on each line that is not blank.
  ///
  /// - Throws: ``EvaluationError``, which names the line.
  package static func read(_ text: String) throws(EvaluationError) -> [EvaluationQuery] {
    try read(text) { _ in }
  }

  /// Reads JSON Lines as ``read(_:)``, and warns of unknown keys that are nearly a known one.
  package static func read(
    _ text: String, warn: (EvaluationError) -> Void
  ) throws(EvaluationError) -> [EvaluationQuery] {
    var queries: [EvaluationQuery] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { !$0.isWhitespace }) {
      do throws(FieldError) {
        let json = try json(of: line)
        queries.append(try EvaluationQuery(json))
        guard case .object(let fields) = json else { continue }
        for (key, meant) in misspelt(fields) {
          let message = "'\(key)' is unknown; did you mean '\(meant)'?"
          warn(EvaluationError(line: number + 1, message: message))
        }
      } catch {
        let field = error.field.map { "'\($0)' " } ?? ""
        throw EvaluationError(line: number + 1, message: field + error.reason)
      }
    }
    return queries
  }

  private static func json(of line: Substring) throws(FieldError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(json: Array(line.utf8), shouldStop: { false })
    } catch {
      throw FieldError(field: nil, reason: "it \(error.message)")
    }
  }
}

/// The reason why a file of queries cannot be used.
package struct EvaluationError: Error, Sendable, Hashable {
  /// The line, from 1.
  package let line: Int
  /// The error in it, as a text for people.
  package let message: String
}
