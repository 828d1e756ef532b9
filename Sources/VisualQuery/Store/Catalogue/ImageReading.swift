package import Reading

/// The text and the codes of an image of the catalogue.
package struct ImageReading: Sendable, Hashable {
  /// The version of what is made of the models' output; images that another one has read are read again.
  private static let version = 1
  /// The most lines, and codes, of an image that came from elsewhere.
  private static let countLimit = 1000

  /// The models that read the text, in the order of their names.
  package var models: [ModelFile]
  /// The lines of text, those with the largest area first.
  package var lines: [TextLine]
  /// The codes.
  package var codes: [ReadCode]
  /// The number of further lines that were found but not read.
  var unreadCount = 0

  /// A short name of some models, by which readings are compared.
  static func id(of models: [ModelFile]) -> String {
    (["\(version)"] + models.map { String($0.digest.prefix(16)) }).joined(separator: "-")
  }

  /// Returns whether another reading is stored alike.
  package func isSame(as other: ImageReading) -> Bool {
    models == other.models && json == other.json
  }

  /// The JSON form, without the models.
  package var json: JSONValue {
    .object([
      "lines": .array(
        lines.map {
          .object([
            "text": .string($0.text), "certainty": Self.rounded($0.certainty),
            "corners": Self.json($0.corners),
          ])
        }),
      "codes": .array(
        codes.map {
          .object([
            "kind": .string($0.kind.rawValue), "value": .string($0.value),
            "corners": Self.json($0.corners),
          ])
        }),
      "unread": .integer(Int64(unreadCount)),
    ])
  }

  package init(
    models: [ModelFile], lines: [TextLine], codes: [ReadCode] = [], unreadCount: Int = 0
  ) {
    self.models = models
    self.lines = lines
    self.codes = codes
    self.unreadCount = unreadCount
  }

  /// Reads the JSON form; returns `nil` if it is not one.
  package init?(json: JSONValue, models: [ModelFile]) {
    guard case .object(let fields) = json, case .array(let lines)? = fields["lines"],
      case .array(let codes)? = fields["codes"], case .integer(let unread)? = fields["unread"],
      lines.count <= Self.countLimit, codes.count <= Self.countLimit
    else { return nil }
    self.init(models: models, lines: [], unreadCount: Int(clamping: max(0, unread)))
    for line in lines {
      guard case .object(let fields) = line, case .string(let text)? = fields["text"],
        let certainty = Self.number(fields["certainty"]), let corners = Self.corners(line)
      else { return nil }
      self.lines.append(TextLine(text: text, certainty: certainty, corners: corners))
    }
    for code in codes {
      guard case .object(let fields) = code, case .string(let value)? = fields["value"],
        case .string(let name)? = fields["kind"], let kind = ReadCode.Kind(rawValue: name),
        let corners = Self.corners(code)
      else { return nil }
      self.codes.append(ReadCode(kind: kind, value: value, corners: corners))
    }
  }

  private static func rounded(_ number: Double) -> JSONValue {
    .number((number * 10_000).rounded() / 10_000)
  }

  private static func json(_ corners: [ReadPoint]) -> JSONValue {
    .array(corners.map { .array([rounded($0.x), rounded($0.y)]) })
  }

  private static func number(_ json: JSONValue?) -> Double? {
    switch json {
    case .number(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  private static func corners(_ json: JSONValue) -> [ReadPoint]? {
    guard case .object(let fields) = json, case .array(let corners)? = fields["corners"],
      corners.count <= 4
    else { return nil }
    let points = corners.compactMap { corner -> ReadPoint? in
      guard case .array(let place) = corner, place.count == 2, let x = number(place[0]),
        let y = number(place[1])
      else { return nil }
      return ReadPoint(x: x, y: y)
    }
    return points.count == corners.count ? points : nil
  }

  /// The JSON form of models.
  package static func json(of models: [ModelFile]) -> JSONValue {
    .array(
      models.map { .object(["name": .string($0.name), "sha256": .string($0.digest)]) })
  }

  /// Reads the JSON form of models; returns `nil` if it is not one.
  package static func models(_ json: JSONValue?) -> [ModelFile]? {
    guard case .array(let list)? = json else { return nil }
    let models = list.compactMap { model -> ModelFile? in
      guard case .object(let fields) = model, case .string(let name)? = fields["name"],
        case .string(let digest)? = fields["sha256"], digest.utf8.count == 64
      else { return nil }
      return ModelFile(name: name, digest: digest)
    }
    return models.count == list.count && !models.isEmpty ? models : nil
  }
}
