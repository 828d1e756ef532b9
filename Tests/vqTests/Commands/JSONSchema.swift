import Foundation

/// A small reader of JSON Schema: the keywords that the program's documents use, and every property must be declared.
///
/// It notes the declared properties that values had, so that a test finds those that no value ever has.
struct JSONSchema {
  private let root: [String: Any]
  /// The properties that values had, such as `Answer/values`.
  private(set) var seen: Set<String> = []

  init(contentsOf url: URL) throws { try self.init(Data(contentsOf: url)) }

  init(_ data: Data) throws {
    let object = try JSONSerialization.jsonObject(with: data)
    guard let root = object as? [String: Any] else { throw CocoaError(.fileReadCorruptFile) }
    self.root = root
  }

  /// The properties that the schema declares, such as `Answer/values`.
  var declared: Set<String> {
    var names: Set<String> = []
    func walk(_ schema: Any, _ path: String) {
      if let list = schema as? [Any] { return list.forEach { walk($0, path) } }
      guard let schema = schema as? [String: Any] else { return }
      for (name, part) in schema["properties"] as? [String: Any] ?? [:] {
        names.insert(path + "/" + name)
        walk(part, path + "/" + name)
      }
      for key in ["items", "oneOf", "anyOf", "additionalProperties"] {
        walk(schema[key] ?? 0, path)
      }
    }
    walk(root, "")
    for (name, schema) in definitions { walk(schema, name) }
    return names
  }

  private var definitions: [String: Any] { root["$defs"] as? [String: Any] ?? [:] }

  /// Returns the faults of a line of JSON.
  mutating func faults(ofLine line: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
    return faults(of: value, by: root, at: "", "")
  }

  /// Returns the faults of a document of one of the definitions, or of a schema that refers to them.
  mutating func faults(of document: Data, by schema: [String: Any]) throws -> [String] {
    faults(
      of: try JSONSerialization.jsonObject(with: document, options: .fragmentsAllowed), by: schema,
      at: "", "")
  }

  private mutating func faults(
    of value: Any, by schema: [String: Any], at place: String, _ path: String
  ) -> [String] {
    if let reference = schema["$ref"] as? String {
      let name = String(reference.split(separator: "/").last ?? "")
      guard let target = definitions[name] as? [String: Any] else {
        return ["\(place): the schema has no '\(name)'"]
      }
      return faults(of: value, by: target, at: place, name)
    }
    if let alternatives = (schema["oneOf"] ?? schema["anyOf"]) as? [[String: Any]] {
      var best: (faults: [String], seen: Set<String>)?
      var fitting = 0
      for alternative in alternatives {
        var attempt = self
        let faults = attempt.faults(of: value, by: alternative, at: place, path)
        if faults.isEmpty { fitting += 1 }
        if best.map({ faults.count < $0.faults.count }) ?? true { best = (faults, attempt.seen) }
      }
      seen = best?.seen ?? seen
      return fitting > 1 && schema["anyOf"] == nil
        ? ["\(place): fits \(fitting) alternatives"] : best?.faults ?? []
    }
    var faults = scalarFaults(of: value, by: schema, at: place)
    if let object = value as? [String: Any] {
      faults += objectFaults(object, by: schema, at: place, path)
    }
    if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
      for (number, item) in list.enumerated() {
        faults += self.faults(of: item, by: items, at: "\(place)[\(number)]", path)
      }
    }
    return faults
  }

  private mutating func objectFaults(
    _ object: [String: Any], by schema: [String: Any], at place: String, _ path: String
  ) -> [String] {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    var faults = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
      .map { "\(place): lacks '\($0)'" }
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      if let property = properties[name] {
        seen.insert(path + "/" + name)
        faults += self.faults(of: value, by: property, at: "\(place).\(name)", path + "/" + name)
      } else if let others = schema["additionalProperties"] as? [String: Any] {
        faults += self.faults(of: value, by: others, at: "\(place).\(name)", path)
      } else if schema["additionalProperties"] as? Bool != true {
        faults.append("\(place): '\(name)' is not declared")
      }
    }
    return faults
  }

  private func scalarFaults(
    of value: Any, by schema: [String: Any], at place: String
  ) -> [String] {
    var faults: [String] = []
    let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
    let kind = Self.kind(of: value)
    if !types.isEmpty, !types.contains(kind), !(kind == "integer" && types.contains("number")) {
      faults.append("\(place): is \(kind); expected \(types)")
    }
    if let constant = schema["const"], !Self.equal(constant, value) {
      faults.append("\(place): is \(value); expected \(constant)")
    }
    if let accepted = schema["enum"] as? [Any], !accepted.contains(where: { Self.equal($0, value) })
    {
      faults.append("\(place): is \(value); expected \(accepted)")
    }
    if let number = value as? Double, kind == "integer" || kind == "number" {
      if let minimum = schema["minimum"] as? Double, number < minimum {
        faults.append("\(place): is \(number), below \(minimum)")
      }
      if let maximum = schema["maximum"] as? Double, number > maximum {
        faults.append("\(place): is \(number), above \(maximum)")
      }
    }
    if let list = value as? [Any] {
      let range = (schema["minItems"] as? Int ?? 0)...(schema["maxItems"] as? Int ?? .max)
      if !range.contains(list.count) { faults.append("\(place): has \(list.count) items") }
    }
    return faults
  }

  private static func equal(_ a: Any, _ b: Any) -> Bool {
    (a as? NSObject).map { $0.isEqual(b) } ?? false
  }

  private static func kind(of value: Any) -> String {
    switch value {
    case is NSNull: return "null"
    case is String: return "string"
    case is [Any]: return "array"
    case is [String: Any]: return "object"
    case let number as NSNumber:
      if isBoolean(number) { return "boolean" }
      return number.doubleValue == number.doubleValue.rounded() ? "integer" : "number"
    default: return "unknown"
    }
  }

  /// `JSONSerialization` gives booleans as numbers of the C type `char` or `bool`.
  private static func isBoolean(_ number: NSNumber) -> Bool {
    let code = unsafe number.objCType.pointee
    return code == 0x63 || code == 0x42
  }
}
