import Foundation
import Testing

/// The description of the service's API, `openapi.json`.
struct APIDescription {
  private let document: [String: Any]

  init() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Sources/CServer/files/openapi.json")
    document = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
  }

  private func schemas() throws -> [String: Any] {
    let components = try #require(document["components"] as? [String: Any])
    return try #require(components["schemas"] as? [String: Any])
  }

  /// Returns the names of the properties of a schema.
  func properties(of name: String) throws -> Set<String> {
    let schema = try #require(try schemas()[name] as? [String: Any])
    return Set(try #require(schema["properties"] as? [String: Any]).keys)
  }

  /// The operations, each with its method, its path, and the names of the parameters of its query.
  func operations() throws -> [String: (method: String, path: String, parameters: Set<String>)] {
    var operations: [String: (method: String, path: String, parameters: Set<String>)] = [:]
    let shared = try #require(
      (document["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]])
    for (path, methods) in try #require(document["paths"] as? [String: [String: Any]]) {
      for (method, value) in methods {
        guard let operation = value as? [String: Any],
          let name = operation["operationId"] as? String
        else { continue }
        let parameters = (operation["parameters"] as? [[String: Any]] ?? []).compactMap {
          parameter -> String? in
          let reference = (parameter["$ref"] as? String)?.split(separator: "/").last
          let described = reference.flatMap { shared[String($0)] } ?? parameter
          return described["in"] as? String == "query" ? described["name"] as? String : nil
        }
        operations[name] = (method.uppercased(), path, Set(parameters))
      }
    }
    return operations
  }

  /// Returns a document of a schema with all its properties.
  ///
  /// - Parameter choice: The number of the alternative that is taken where there are several.
  func example(of name: String, choice: Int) throws -> Any {
    try example(["$ref": "#/components/schemas/\(name)"], choice)
  }

  private func example(_ schema: [String: Any], _ choice: Int) throws -> Any {
    if let reference = (schema["$ref"] as? String)?.split(separator: "/").last {
      return try example(
        try #require(try schemas()[String(reference)] as? [String: Any]), choice)
    }
    if let constant = schema["const"] { return constant }
    if let value = (schema["enum"] as? [Any])?.first { return value }
    if let choices = (schema["oneOf"] ?? schema["anyOf"]) as? [[String: Any]] {
      let real = choices.filter { $0["type"] as? String != "null" }
      return try example(real[min(choice, real.count - 1)], choice)
    }
    let type =
      schema["type"] as? String ?? (schema["type"] as? [String])?.first { $0 != "null" }
    switch type {
    case "object":
      guard let properties = schema["properties"] as? [String: [String: Any]] else {
        let values = schema["additionalProperties"] as? [String: Any] ?? ["type": "string"]
        return ["name": try example(values, choice)]
      }
      return try properties.mapValues { try example($0, choice) }
    case "array":
      let item = schema["items"] as? [String: Any] ?? ["type": "string"]
      let value = try example(item, choice)
      return Array(repeating: value, count: max(1, schema["minItems"] as? Int ?? 1))
    case "string":
      return schema["format"] as? String == "date-time" ? "2026-11-27T12:00:00Z" : "text"
    case "integer", "number": return max(1, schema["minimum"] as? Int ?? 1)
    case "boolean": return true
    default: return NSNull()
    }
  }

  /// Returns the paths of all properties of a document. Lists count by their first element.
  static func paths(of value: Any, in path: String = "") -> Set<String> {
    switch value {
    case let object as [String: Any]:
      object.reduce(into: []) { paths, member in
        let name = path.isEmpty ? member.key : "\(path).\(member.key)"
        paths.formUnion([name] + Self.paths(of: member.value, in: name))
      }
    case let list as [Any]: list.first.map { Self.paths(of: $0, in: path) } ?? []
    default: []
    }
  }
}
