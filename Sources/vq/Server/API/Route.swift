import VisualQuery

/// A path that is served, with the entity or the statement that it names.
struct Route: Sendable, Hashable {
  /// The thing that a path names.
  enum Subject: Sendable, Hashable {
    case entity(EntityID)
    case statement(Int)
  }

  /// The path with placeholders, which names the route in logs, metrics and `openapi.json`.
  let template: String
  /// The thing that the placeholders name, or `nil` if the path has none.
  let subject: Subject?

  /// - Parameter template: The path of an ``Endpoint``.
  init(_ template: String, of subject: Subject? = nil) {
    self.template = template
    self.subject = subject
  }

  /// Finds the route of a path, or returns `nil` if nothing is served at it.
  ///
  /// Only an id may contain a slash, percent-encoded in the path: `/v1%2Fmatch` is not `/v1/match`.
  /// Otherwise it would get past the rules of a proxy for `/v1/match`.
  ///
  /// - Parameter path: The percent-decoded segments.
  init?(path: [String]) throws(Problem) {
    if let template = Self.plainTemplates[path] {
      self.init(template)
      return
    }
    guard let (template, segments) = Self.namingTemplates.first(where: { $0.segments.fits(path) })
    else { return nil }
    self.init(template, of: try Subject(segments.values(in: path)))
  }

  /// The segments of the path of an endpoint.
  private struct Segments: Sendable {
    let names: [String]

    init(_ template: String) {
      names = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        .map(String.init)
    }

    var hasPlaceholders: Bool { names.contains(where: Self.isPlaceholder) }

    func fits(_ path: [String]) -> Bool {
      path.count == names.count
        && zip(path, names).allSatisfy { $0 == $1 || Self.isPlaceholder($1) }
    }

    /// Returns the values of the placeholders in a path that fits.
    func values(in path: [String]) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: zip(names, path).filter { Self.isPlaceholder($0.0) }
          .map { (String($0.0.dropFirst().dropLast()), $0.1) })
    }

    private static func isPlaceholder(_ name: String) -> Bool { name.hasPrefix("{") }
  }

  private static let segments: [(template: String, segments: Segments)] = Endpoint.byPath.keys
    .sorted().map { ($0, Segments($0)) }

  /// The paths without placeholders, by their segments.
  private static let plainTemplates = [[String]: String](
    uniqueKeysWithValues: segments.filter { !$0.segments.hasPlaceholders }
      .map { ($0.segments.names, $0.template) })

  private static let namingTemplates = segments.filter(\.segments.hasPlaceholders)

  /// The routes whose paths name nothing.
  static let fixed = plainTemplates.values.sorted().map { Route($0) }

  /// The endpoints of the path, one for each method.
  private var endpoints: [Endpoint] { Endpoint.byPath[template] ?? [] }

  /// Returns what the path does for a method.
  func endpoint(for method: String) -> Endpoint? { endpoints.first { $0.method == method } }

  /// The methods besides HEAD, which goes with GET, and OPTIONS.
  var methods: [String] { endpoints.map(\.method) }

  /// The value of `Allow`.
  var allow: String {
    (methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// True if its requests count against the rate of a client.
  var isRateLimited: Bool { template.hasPrefix("/v1/") }

  /// True if it is answered even beyond the limits of connections.
  var isHealthCheck: Bool { endpoints.contains(where: \.isHealthCheck) }
}

extension Route.Subject {
  /// Reads what placeholders name: an entity by `type` and `id`, or a statement by `number`.
  fileprivate init(_ values: [String: String]) throws(Problem) {
    if let text = values["number"] {
      guard let number = Int(text), number > 0, text == String(number) else {
        throw Problem(.unknownStatement, "a statement is named by its number", field: "number")
      }
      self = .statement(number)
      return
    }
    guard let type = values["type"].flatMap(EntityType.init(rawValue:)), let id = values["id"],
      !id.isEmpty
    else {
      throw Problem(
        .unknownEntity, "an entity is named by product or store, and its id", field: "type")
    }
    self = .entity(EntityID(type: type, value: id))
  }
}
