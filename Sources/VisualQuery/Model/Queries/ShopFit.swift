#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The few numbers that labelled photos of a shop, or its own images, taught about its confidences (`vq fit`).
///
/// They are stored by name, and belong to the calibration that they correct: after a change of that one, they do not count any more.
package struct ShopFit: Sendable, Hashable, Encodable {
  /// A number by its name.
  package enum Coefficient: String, Sendable, CaseIterable, Comparable {
    /// The addition to the log-odds.
    case prior
    /// The factor of the log-odds.
    case temperature
    /// The further factor of the labels of a query.
    case labels
    /// The further factor of the text in an image.
    case text
    /// The addition to the log-odds for each standard deviation by which the vector of an image is nearer than those of the catalogue are.
    case vector

    /// The value with which nothing changes.
    package var general: Double {
      switch self {
      case .prior, .vector: 0
      case .temperature, .labels, .text: 1
      }
    }

    /// The accepted values. No factor is below zero, so that more evidence never makes an answer less sure.
    package var range: ClosedRange<Double> {
      switch self {
      case .prior: -8...8
      case .temperature: 0.1...3
      case .labels, .text, .vector: 0...3
      }
    }

    package static func < (a: Coefficient, b: Coefficient) -> Bool { a.rawValue < b.rawValue }
  }

  /// The name of the vectors that came with the queries, in place of that of a model.
  package static let givenVectors = "given"

  private let values: [Coefficient: Double]
  /// The calibration that the fit corrects, by its mark.
  package let calibration: String
  /// The model whose vectors were compared, or `nil` if none were.
  package let vectors: String?
  /// The number of photos, and of the products that they show.
  package let photos: Int
  package let products: Int
  /// True if it only makes answers less sure. So does one that the shop's own images taught: they say what is wrong here, and hardly how
  /// customers photograph.
  package let isCareful: Bool
  /// The time at which it was stored, in seconds since 1970, or `nil` if nobody noted it.
  package var time: Int?

  /// Makes a fit. Values out of their range are moved to its ends, and all are rounded to three decimals, so that every machine stores the same.
  package init(
    _ values: [Coefficient: Double], calibration: String, vectors: String?, photos: Int,
    products: Int, isCareful: Bool = false
  ) {
    self.values = Dictionary(
      uniqueKeysWithValues: Coefficient.allCases.map { name in
        let value = values[name] ?? name.general
        let bounded = min(max(value, name.range.lowerBound), name.range.upperBound)
        return (name, (bounded * 1000).rounded() / 1000)
      })
    (self.calibration, self.vectors) = (calibration, vectors)
    (self.photos, self.products) = (photos, products)
    self.isCareful = isCareful
  }

  package subscript(name: Coefficient) -> Double { values[name] ?? name.general }

  /// The JSON form.
  package var json: JSONValue {
    var fields: [String: JSONValue] = [
      "calibration": .string(calibration), "photos": .integer(Int64(photos)),
      "products": .integer(Int64(products)),
      "coefficients": .object(
        Dictionary(
          uniqueKeysWithValues: Coefficient.allCases.map { ($0.rawValue, .number(self[$0])) })),
    ]
    if let vectors { fields["vectors"] = .string(vectors) }
    if isCareful { fields["careful"] = .bool(true) }
    if let date { fields["date"] = .string(date) }
    return .object(fields)
  }

  /// The time at which it was stored, as in `2026-11-29T03:15:00Z`.
  package var date: String? {
    time.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) }
  }

  /// Encodes the JSON form.
  package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

  /// Reads the JSON form. Names that this version does not know are left out: a fit with such belongs to another calibration.
  ///
  /// - Throws: ``FieldError`` with the field and the reason.
  package init(json: JSONValue) throws(FieldError) {
    guard case .object(let fields) = json else {
      throw FieldError(field: nil, reason: "is \(json.kind); expected an object")
    }
    guard case .string(let calibration)? = fields["calibration"] else {
      throw FieldError(field: "calibration", reason: "must be a string")
    }
    guard case .object(let given)? = fields["coefficients"] else {
      throw FieldError(field: "coefficients", reason: "must be an object of numbers")
    }
    var values: [Coefficient: Double] = [:]
    for name in Coefficient.allCases {
      let field = "coefficients.\(name.rawValue)"
      switch given[name.rawValue] {
      case nil: continue
      case .number(let number)? where name.range.contains(number): values[name] = number
      case .integer(let number)? where name.range.contains(Double(number)):
        values[name] = Double(number)
      default:
        throw FieldError(
          field: field,
          reason: "must be a number from \(name.range.lowerBound) to \(name.range.upperBound)")
      }
    }
    func count(_ name: String) -> Int {
      if case .integer(let number)? = fields[name] { max(0, Int(number)) } else { 0 }
    }
    let vectors: String? = if case .string(let name)? = fields["vectors"] { name } else { nil }
    self.init(
      values, calibration: calibration, vectors: vectors, photos: count("photos"),
      products: count("products"), isCareful: fields["careful"] == .bool(true))
    if case .string(let text)? = fields["date"], let date = try? Date(text, strategy: .iso8601) {
      time = Int(exactly: date.timeIntervalSince1970.rounded())
    }
  }
}

/// The fits of a shop, of which the newest counts; the others come back if it is undone.
package struct ShopFits: Sendable, Hashable {
  /// The most fits that are kept.
  package static let limit = 10

  /// The fits, the oldest first.
  package private(set) var all: [ShopFit]

  package init(_ all: [ShopFit] = []) { self.all = Array(all.suffix(Self.limit)) }

  /// The fit that counts, or `nil` if there is none.
  package var current: ShopFit? { all.last }

  /// Returns the fits with a further one, which then counts.
  package func adding(_ fit: ShopFit) -> ShopFits { ShopFits(all + [fit]) }

  /// The fits without the one that counts.
  package var undone: ShopFits { ShopFits(all.dropLast()) }

  /// The JSON form: `{"fits":[…]}`.
  package var json: JSONValue { .object(["fits": .array(all.map(\.json))]) }

  /// Reads the JSON form.
  ///
  /// - Throws: ``FieldError`` with the field and the reason.
  package init(json: JSONValue) throws(FieldError) {
    guard case .object(let fields) = json, case .array(let values)? = fields["fits"] else {
      throw FieldError(field: "fits", reason: #"is not there; expected {"fits":[…]}"#)
    }
    var all: [ShopFit] = []
    for (index, value) in values.enumerated() {
      do throws(FieldError) {
        all.append(try ShopFit(json: value))
      } catch {
        throw error.within("fits[\(index)]")
      }
    }
    self.init(all)
  }
}
