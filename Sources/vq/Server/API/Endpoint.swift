import HTTPServer
import VisualQuery

/// A method of a path: who may ask, how the body is read, where and for how long it is worked on, and who answers.
///
/// `Endpoint.all` is the table of everything that is served. Routing, `Allow`, roles and rates follow from it.
struct Endpoint: Sendable {
  /// A request as its handler gets it.
  struct Call: Sendable {
    let request: HTTPRequest
    let subject: Route.Subject?
    let form: MatchForm?

    /// The entity that the path names. Only for paths that name one.
    var entity: EntityID {
      guard case .entity(let id) = subject else { preconditionFailure("the path names no entity") }
      return id
    }

    /// The number of the statement that the path names. Only for paths that name one.
    var statement: Int {
      guard case .statement(let number) = subject else {
        preconditionFailure("the path names no statement")
      }
      return number
    }
  }

  /// The forms of a body that are read, and the most bytes of each.
  struct Body: Sendable {
    /// Returns the form that a request has, or throws if it is not read.
    let form: @Sendable (RequestHead) throws(Problem) -> MatchForm
    /// The most bytes of JSON.
    let jsonLimit: Int
    /// The most bytes of another form, if the server does not accept fewer.
    var otherLimit = Int.max

    static func json(_ limit: Int) -> Body {
      Body(
        form: { head throws(Problem) in
          let form = try MatchForm(head)
          guard form == .json else {
            throw Problem(
              .unsupportedMediaType, "the body must be application/json", field: "Content-Type")
          }
          return form
        }, jsonLimit: limit)
    }

    /// The fields of an entity to change.
    static let patch = text(
      ["application/merge-patch+json", "application/json"], limit: BodyLimits.entity,
      advertisedBy: "Accept-Patch")
    /// Changes of entities as JSON Lines.
    static let lines = text(
      ["application/x-ndjson", "application/jsonl"], limit: BodyLimits.entityLines,
      advertisedBy: "Accept-Post")

    /// A body in one of some media types of JSON.
    ///
    /// - Parameter field: The field of an answer that names the types.
    private static func text(
      _ types: [String], limit: Int, advertisedBy field: String
    ) -> Body {
      Body(
        form: { head throws(Problem) in
          let given = try? Multipart.parameters(of: head.fields["content-type"] ?? "").value
          if let given, types.contains(given.lowercased()) { return .json }
          var problem = Problem(
            .unsupportedMediaType, "the body must be \(types.joined(separator: " or "))",
            field: "Content-Type")
          problem.fields = [HTTPFields.Field(name: field, value: types.joined(separator: ", "))]
          throw problem
        }, jsonLimit: limit)
    }

    /// An image, a form or JSON.
    static let question = Body(
      form: { head throws(Problem) in try MatchForm(head) }, jsonLimit: BodyLimits.question)
    /// JSON, or a form with images.
    static let entity = Body(
      form: { head throws(Problem) in try EntityForm.kind(of: head) },
      jsonLimit: BodyLimits.entity)
    static let statement = Body(
      form: { head throws(Problem) in try EntityForm.kind(of: head) },
      jsonLimit: BodyLimits.question, otherLimit: BodyLimits.statement)
    /// JSON that names a photo, or a form with one.
    static let photo = Body(
      form: { head throws(Problem) in try EntityForm.kind(of: head) },
      jsonLimit: BodyLimits.question)
    /// The bytes of an image.
    static let image = Body(
      form: { head throws(Problem) in
        let form = try MatchForm(head)
        guard form == .picture else {
          throw Problem(
            .unsupportedMediaType,
            "the body must be an image: application/octet-stream or image/jpeg",
            field: "Content-Type")
        }
        return form
      }, jsonLimit: 0)
    static let form = Body(
      form: { head throws(Problem) in try Self.onlyForm(head) }, jsonLimit: 0)
    static let statementForm = Body(
      form: { head throws(Problem) in try Self.onlyForm(head) }, jsonLimit: 0,
      otherLimit: BodyLimits.statement)

    private static func onlyForm(_ head: RequestHead) throws(Problem) -> MatchForm {
      let form = try MatchForm(head)
      guard case .multipart = form else { throw MatchForm.isNotMultipart }
      return form
    }
  }

  /// The longest time that a request may take.
  enum Budget: Sendable {
    /// The longest deadline of the server.
    case longest
    /// The deadline that a question states, at the end of which it is answered as far as it is.
    case stated
    case change
    case check
  }

  enum Handler: Sendable {
    /// Answers from memory, on the event loop.
    case immediate(@Sendable (ShopContext, RequestHead) throws(Problem) -> HTTPResponse)
    /// Answers on a thread.
    case work(@Sendable (ShopContext, Call) async throws -> HTTPResponse)
  }

  let method: String
  /// The path, with placeholders such as `{id}`.
  let path: String
  /// The role of the key that is needed if there are keys, or `nil` if none is needed.
  let role: APIKeys.Role?
  /// The body that is read, or `nil` if none is.
  let body: Body?
  let lane: Lane
  /// The lane of requests whose body has an image.
  let imageLane: Lane
  let budget: Budget
  /// True if it is answered even beyond the limits of connections.
  let isHealthCheck: Bool
  let handler: Handler

  /// Work on a thread.
  ///
  /// - Parameters:
  ///   - name: The method and the path.
  ///   - imageLane: The lane of requests whose body is a form, if it is another one.
  init(
    _ name: String, _ role: APIKeys.Role, body: Body? = nil, lane: Lane = .answers,
    imageLane: Lane? = nil, budget: Budget = .longest,
    _ handler: @escaping @Sendable (ShopContext, Call) async throws -> HTTPResponse
  ) {
    (method, path) = Self.parts(of: name)
    (self.role, self.body, self.lane, self.budget) = (role, body, lane, budget)
    self.imageLane = imageLane ?? lane
    isHealthCheck = false
    self.handler = .work(handler)
  }

  /// An answer from memory.
  init(
    atOnce name: String, _ role: APIKeys.Role? = nil, isHealthCheck: Bool = false,
    _ handler: @escaping @Sendable (ShopContext, RequestHead) throws(Problem) -> HTTPResponse
  ) {
    (method, path) = Self.parts(of: name)
    (self.role, self.isHealthCheck) = (role, isHealthCheck)
    (body, lane, imageLane, budget) = (nil, .answers, .answers, .longest)
    self.handler = .immediate(handler)
  }

  private static func parts(of name: String) -> (method: String, path: String) {
    let parts = name.split(separator: " ")
    precondition(parts.count == 2, "an endpoint is named by its method and its path")
    return (String(parts[0]), String(parts[1]))
  }

  /// The endpoints of each path.
  static let byPath = Dictionary(grouping: all, by: \.path)
}

/// The largest numbers of bytes of bodies.
enum BodyLimits {
  /// A question in JSON.
  static let question = 262_144
  /// A message of an agent, which has room for an image of 10 MB in Base64.
  static let agent = 14_000_000
  /// A list of ids, which has room for the longest 1000.
  static let ids = 524_288
  /// An entity in JSON, as of a row of a feed.
  static let entity = JSONLimits().byteCount
  /// Changes of many entities as JSON Lines.
  static let entityLines = 4 * JSONLimits().byteCount
  /// The outcomes of an evaluation, which has room for 500 queries with some answers each.
  static let outcomes = 1_048_576
  /// The photos of a fit, which has room for 500 with all candidates and witnesses.
  static let fit = 5_000_000
  /// A statement with its image.
  static let statement = 2_000_000
}
