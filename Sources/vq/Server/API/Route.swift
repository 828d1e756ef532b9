import VisualQuery

/// The paths that are served, by the names that they have in logs, metrics and `openapi.json`.
enum Route: String, Sendable, CaseIterable {
  case match = "/v1/match"
  case entities = "/v1/entities"
  case suggested = "/v1/entities/suggested"
  case query = "/v1/entities:query"
  case entity = "/v1/entities/{type}/{id}"
  case thumbnail = "/v1/entities/{type}/{id}/thumbnail"
  case sync = "/v1/sync"
  case limits = "/v1/limits"
  case association = "/.well-known/apple-app-site-association"
  case livez = "/livez"
  case readyz = "/readyz"
  case metrics = "/metrics"
  case openapi = "/openapi.json"
  case page = "/"
  case style = "/page.css"
  case script = "/page.js"

  /// Methods besides HEAD, which goes with GET, and OPTIONS.
  var methods: [String] {
    switch self {
    case .match, .query: ["POST"]
    case .entity: ["GET", "DELETE"]
    default: ["GET"]
    }
  }

  /// The value of `Allow`.
  var allow: String {
    (methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// The key that a method needs where there are keys; `nil` for what anybody may see.
  func role(for method: String) -> APIKeys.Role? {
    switch self {
    case .association, .livez, .readyz, .openapi, .page, .style, .script: nil
    case .match, .entities, .suggested, .query, .entity, .thumbnail, .sync, .limits, .metrics:
      method == "DELETE" ? .write : .read
    }
  }

  /// Whether its requests count against the rate of a client.
  var isRateLimited: Bool { rawValue.hasPrefix("/v1/") }

  /// A path, and the entity that it names.
  ///
  /// Only an id may contain a slash, percent-encoded in the path: `/v1%2Fmatch` is not `/v1/match`, or
  /// it would pass by whatever a proxy or this server decides by the path.
  static func of(_ path: [String]) throws(Problem) -> (route: Route, entity: EntityID?)? {
    switch path {
    case [""]: return (.page, nil)
    case let path where path.count >= 4 && path[0] == "v1" && path[1] == "entities":
      guard path.count == 4 || (path.count == 5 && path[4] == "thumbnail") else { return nil }
      guard let type = EntityType(rawValue: path[2]), !path[3].isEmpty else {
        throw Problem(
          404, "unknownEntity", "an entity is named by product or store, and its id", field: "type")
      }
      return (path.count == 4 ? .entity : .thumbnail, EntityID(type: type, value: path[3]))
    default:
      guard !path.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }) else { return nil }
      let text = "/" + path.joined(separator: "/")
      guard !text.contains("{"), let route = Route(rawValue: text) else { return nil }
      return (route, nil)
    }
  }
}
