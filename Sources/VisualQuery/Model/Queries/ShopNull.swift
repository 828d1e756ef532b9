/// The answers of a catalogue to photos of its own images: how often it is sure of a thing that it does not have (`vq fit --own`).
///
/// Each image is edited as photos are, and asked as if the shop did not have its thing, so that its siblings and strangers answer. What is sure then is
/// false evidence, as strong as it gets in this shop.
package struct ShopNull: Sendable, Hashable, Encodable {
  /// A thing that is taken for another one.
  package struct Pair: Sendable, Hashable {
    /// The id of the thing that was asked for, with its type, and that of the answer.
    package let asked: String
    package let answered: String
    /// The confidence by the general calibration.
    package let confidence: Double

    package init(asked: String, answered: String, confidence: Double) {
      (self.asked, self.answered) = (asked, answered)
      self.confidence = (confidence * 10_000).rounded() / 10_000
    }
  }

  /// The most pairs that are kept.
  package static let pairLimit = 5

  /// The calibration by which it was asked.
  package let calibration: String
  /// The things that were asked for without themselves, of which some had a sure answer.
  package let withoutOwn: CountedShare
  /// The same without their whole groups, for things that have a group with others.
  package let withoutGroup: CountedShare
  /// The things that were asked for as the shop is, of which most were shown, first and sure.
  package let present: CountedShare
  /// The number of images that could not be opened.
  package let unavailable: Int
  /// The surest wrong answers, the surest first.
  package let pairs: [Pair]
  /// The smallest marks of the images of the catalogue, by which a later run tells how many have changed since.
  package let sketch: [UInt32]
  /// The fit that makes the shop careful, or `nil` if none is needed, or none would be better.
  package let fit: ShopFit?
  /// The things of ``withoutOwn`` by fits that have not seen them.
  package let fitted: CountedShare?

  package init(
    calibration: String, withoutOwn: CountedShare, withoutGroup: CountedShare,
    present: CountedShare, unavailable: Int, pairs: [Pair], sketch: [UInt32], fit: ShopFit?,
    fitted: CountedShare?
  ) {
    self.calibration = calibration
    (self.withoutOwn, self.withoutGroup, self.present) = (withoutOwn, withoutGroup, present)
    self.unavailable = unavailable
    self.pairs = Array(pairs.prefix(Self.pairLimit))
    (self.sketch, self.fit, self.fitted) = (sketch, fit, fitted)
  }

  /// The same answers without the fit.
  package var withoutFit: ShopNull {
    ShopNull(
      calibration: calibration, withoutOwn: withoutOwn, withoutGroup: withoutGroup,
      present: present, unavailable: unavailable, pairs: pairs, sketch: sketch, fit: nil,
      fitted: nil)
  }

  /// Returns whether another catalogue is so nearly the same that it need not be asked again: at most one image in sixteen differs.
  ///
  /// - Parameter sketch: The sketch of the other one.
  package func isFresh(for sketch: [UInt32], calibration: String) -> Bool {
    let same = Set(self.sketch).intersection(sketch).count
    return calibration == self.calibration
      && 16 * same >= 15 * max(self.sketch.count, sketch.count)
  }

  // MARK: JSON

  /// The JSON form.
  package var json: JSONValue {
    func counts(_ share: CountedShare) -> JSONValue {
      .object(["asked": .integer(Int64(share.of)), "sure": .integer(Int64(share.count))])
    }
    var fields: [String: JSONValue] = [
      "calibration": .string(calibration), "withoutOwn": counts(withoutOwn),
      "withoutGroup": counts(withoutGroup), "present": counts(present),
      "unavailable": .integer(Int64(unavailable)),
      "pairs": .array(
        pairs.map { pair in
          .object([
            "asked": .string(pair.asked), "answered": .string(pair.answered),
            "confidence": .number(pair.confidence),
          ])
        }), "sketch": .array(sketch.map { .integer(Int64($0)) }),
    ]
    if let fit { fields["fit"] = fit.json }
    if let fitted { fields["fitted"] = counts(fitted) }
    return .object(fields)
  }

  /// Encodes the JSON form without the sketch, which says nothing to people.
  package func encode(to encoder: any Encoder) throws {
    guard case .object(var fields) = json else { return }
    fields["sketch"] = nil
    try JSONValue.object(fields).encode(to: encoder)
  }

  /// Reads the JSON form.
  ///
  /// - Throws: ``FieldError`` with the field and the reason.
  package init(json: JSONValue) throws(FieldError) {
    guard case .object(let fields) = json else {
      throw FieldError(field: nil, reason: "is \(json.kind); expected an object")
    }
    guard case .string(let calibration)? = fields["calibration"] else {
      throw FieldError(field: "calibration", reason: "must be a string")
    }
    var fit: ShopFit?
    if let stored = fields["fit"] {
      do throws(FieldError) {
        fit = try ShopFit(json: stored)
      } catch {
        throw error.within("fit")
      }
    }
    self.init(
      calibration: calibration, withoutOwn: try Self.share(fields, "withoutOwn"),
      withoutGroup: try Self.share(fields, "withoutGroup"),
      present: try Self.share(fields, "present"),
      unavailable: Self.count(fields["unavailable"]) ?? 0,
      pairs: Self.list(fields["pairs"]).compactMap(Pair.init),
      sketch: Self.list(fields["sketch"]).compactMap { value in
        Self.count(value).flatMap(UInt32.init(exactly:))
      }, fit: fit, fitted: fields["fitted"] == nil ? nil : try Self.share(fields, "fitted"))
  }

  private static func list(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let values)? = value { values } else { [] }
  }

  private static func count(_ value: JSONValue?) -> Int? {
    if case .integer(let number)? = value, number >= 0 { Int(exactly: number) } else { nil }
  }

  private static func share(
    _ fields: [String: JSONValue], _ name: String
  ) throws(FieldError) -> CountedShare {
    guard case .object(let counts)? = fields[name], let asked = count(counts["asked"]),
      let sure = count(counts["sure"]), sure <= asked
    else {
      throw FieldError(
        field: name, reason: "must be an object with the numbers 'asked' and 'sure'")
    }
    return CountedShare(sure, of: asked)
  }
}

extension ShopNull.Pair {
  /// Reads the JSON form, or returns `nil` if a part is missing.
  fileprivate init?(_ json: JSONValue) {
    guard case .object(let fields) = json, case .string(let asked)? = fields["asked"],
      case .string(let answered)? = fields["answered"]
    else { return nil }
    switch fields["confidence"] {
    case .number(let confidence)?:
      self.init(asked: asked, answered: answered, confidence: confidence)
    case .integer(let confidence)?:
      self.init(asked: asked, answered: answered, confidence: Double(confidence))
    default: return nil
    }
  }
}
