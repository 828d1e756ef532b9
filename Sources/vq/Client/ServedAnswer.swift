import VisualQuery

/// The parts of a server's answer (`vq.match/1`) that a client shows. Other keys are ignored, as later versions may add some.
struct ServedAnswer: Sendable, Decodable {
  static let schema = "vq.match/1"

  struct Display: Sendable, Decodable {
    let title: String
    let subtitle: String?
    let image: String?
    /// The server's thumbnail of the image, if that is at another address.
    let thumbnail: String?

    /// The title with the subtitle, which distinguishes variants with the same title.
    var name: String { title + (subtitle.map { " (\($0))" } ?? "") }
  }

  struct Value: Sendable, Decodable {
    let rank: Int
    let type: String
    let id: String
    let confidence: Double
    let tier: String
    let url: String?
    let display: Display
  }

  let schema: String
  let complete: Bool
  let coverage: Double
  let values: [Value]
  /// The possible matches, none of which is sure; `nil` from an older server.
  let possible: [Value]?
  /// The same thing in other colors, if nothing else is known.
  let sibling: [Value]?
  let emptyReason: String?
  let hasMore: Bool
  /// The token of the next page.
  let continuation: String?

  /// All confidences of the answer. Another server may have written any numbers.
  var confidences: [Double] { (values + listed + siblings).map(\.confidence) }

  /// The possible matches, none of which is sure.
  var listed: [Value] { possible ?? [] }

  /// The same thing in other colors.
  var siblings: [Value] { sibling ?? [] }
}

/// The size of a server's catalogue, and its cut-off (`GET /v1/catalogue`).
struct ServedSize: Sendable, Decodable {
  let products: Int
  let stores: Int
  let minimumConfidence: Double
}
