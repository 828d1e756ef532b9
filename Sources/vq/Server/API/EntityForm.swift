import HTTPServer
import VisualQuery

/// The body of `PUT /v1/entities/{type}/{id}`: an entity as in a row of a feed, in a form perhaps
/// with its images.
struct EntityForm: Sendable {
  /// The name of the part of a form that is the entity. Every other part is the image that `images`
  /// names like it.
  private static let entityPart = "entity"

  let value: EntityValue
  let images: [EntityImage]

  /// Reads the kind of the body.
  static func kind(of head: RequestHead) throws(Problem) -> MatchForm {
    let accepted = "application/json or multipart/form-data"
    do throws(Problem) {
      let form = try MatchForm(head)
      if form != .picture { return form }
    } catch  where error.code != .unsupportedMediaType {
      throw error
    } catch {}
    throw Problem(
      .unsupportedMediaType, "the body must be \(accepted)", field: "Content-Type")
  }

  /// Reads a body.
  ///
  /// - Parameter id: The entity that the path names. The body may leave out its type and id.
  init(_ body: [UInt8], _ form: MatchForm, of id: EntityID) throws {
    guard case .multipart(let boundary) = form else {
      value = try Self.value(Self.object(body), of: id)
      try Self.check(imageCount: value.imagePaths.count)
      images = value.imagePaths.map { .reference($0) }
      return
    }
    var parts = try Multipart.parts(of: body, boundary: boundary)
    guard let entity = parts.firstIndex(where: { $0.name == Self.entityPart }) else {
      throw Problem(
        .invalidField, "the form has no part '\(Self.entityPart)' with the entity as JSON",
        field: Self.entityPart)
    }
    let json = Array(body[parts.remove(at: entity).content])
    guard json.count <= BodyLimits.entity else {
      throw Problem(
        .bodyTooLarge,
        "the part '\(Self.entityPart)' has \(json.count) bytes; the limit is \(BodyLimits.entity)",
        field: Self.entityPart, limit: BodyLimits.entity)
    }
    let object = try Self.object(json)
    value = try Self.value(object, of: id)
    let names = object["images"] == nil ? parts.map(\.name) : value.imagePaths
    try Self.check(imageCount: names.count)
    if let unused = parts.first(where: { part in !names.contains { Self.isSame($0, part.name) } }) {
      throw Problem(
        .invalidField, "'images' does not name the part '\(ShownAddress.of(unused.name.excerpt))'",
        field: "images")
    }
    // Copies each part out of the body once, however many images refer to it.
    let contents = parts.map { Array(body[$0.content]) }
    images = names.map { name in
      guard let part = parts.firstIndex(where: { Self.isSame($0.name, name) }) else {
        return .reference(name)
      }
      return .encoded(contents[part], address: EntityImage.isAddress(name) ? name : nil)
    }
  }

  static func check(imageCount count: Int) throws(Problem) {
    let limit = EntityValue.imageLimit
    guard count <= limit else {
      throw Problem(
        .invalidEntity, "the entity has \(count) images; the limit is \(limit)", field: "images",
        limit: limit)
    }
  }

  /// Reads a JSON object without repeated names.
  static func object(_ bytes: [UInt8]) throws(Problem) -> [String: JSONValue] {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(json: bytes, limits: JSONLimits(allowsRepeatedNames: false))
    } catch {
      throw Problem(.invalidJSON, "the entity \(error.message)")
    }
    guard case .object(let object) = json else {
      throw Problem(.invalidField, "the entity is not a JSON object")
    }
    return object
  }

  private static func value(
    _ object: [String: JSONValue], of id: EntityID
  ) throws(Problem) -> EntityValue {
    var object = object
    for (name, expected) in [("type", id.type.rawValue), ("id", id.value)] {
      switch object[name] {
      case nil: object[name] = .string(expected)
      case .string(let text)? where isSame(text, expected): break
      default:
        throw Problem(
          .invalidEntity, "'\(name)' is not that of the path, '\(expected.excerpt)'", field: name)
      }
    }
    return try value(object)
  }

  /// Reads an entity that has its type and id.
  static func value(_ object: [String: JSONValue]) throws(Problem) -> EntityValue {
    do throws(FieldError) {
      return try EntityValue(json: .object(object))
    } catch {
      throw Problem(
        .invalidEntity, "\(error.field.map { "'\($0.excerpt)' " } ?? "the entity ")\(error.reason)",
        field: error.field?.excerpt)
    }
  }

  /// Names are compared by their bytes.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
  }
}
