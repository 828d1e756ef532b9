import Synchronization

/// Reads the prices of a feed by one convention, or learns that convention from its first rows.
struct FeedPrices: Sendable {
  /// The currency of prices that do not name one.
  let currency: String?
  let convention: PriceConvention
  /// The convention that is being learned, while the first rows are surveyed.
  private let lesson: PriceLesson?

  /// Makes prices of a known convention.
  init(currency: String? = nil, convention: PriceConvention = PriceConvention()) {
    self.currency = currency
    self.convention = convention
    lesson = nil
  }

  /// Makes prices that learn.
  init(currency: String?, learning lesson: PriceLesson) {
    self.currency = currency
    convention = PriceConvention()
    self.lesson = lesson
  }

  /// Returns a price in the native form.
  ///
  /// - Parameters:
  ///   - text: The price, with or without a currency.
  ///   - column: The currency that another field of the row names.
  /// - Throws: ``FieldError`` if it cannot be read, or if its meaning stays open.
  func price(_ text: String, column: String? = nil) throws(FieldError) -> JSONValue {
    try read(PriceText(text), column)
  }

  /// Returns the price of a number, whose point is a decimal one.
  ///
  /// - Parameter column: The currency that another field of the row names.
  func price(number: String, column: String? = nil) throws(FieldError) -> JSONValue {
    let parts = number.split(separator: ".")
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { throw FieldError(field: "price", reason: "is '\(number)'; expected for example 14.90") }
    return try read(
      PriceText(amount: .exact(number, decimal: nil, group: nil), text: number), column)
  }

  private func read(_ price: PriceText, _ column: String?) throws(FieldError) -> JSONValue {
    let name = column.map(\.trimmed).flatMap { FeedText.isValue($0) ? $0 : nil }
    let named = name.flatMap { Currency.candidates(for: $0)?.first }
    if let name, named == nil, price.candidates == nil {
      throw FieldError(
        field: "price",
        reason: "is '\(price.text)' with the unknown currency '\(name)'; expected for example EUR")
    }
    lesson?.add(price.amount, currency: price.candidates?.first ?? named ?? currency)
    let code = try price.currency(or: named ?? currency)
    guard let amount = convention.resolved(price.amount, currency: code) else {
      throw FieldError(
        field: "price",
        reason:
          "is '\(price.text)', which may be thousands or decimals; say which with --locale en or --locale de"
      )
    }
    return .object(["amount": .string(amount), "currency": .string(code)])
  }
}

/// A convention that grows with the prices that are read.
final class PriceLesson: Sendable {
  private let learned: Mutex<PriceConvention>

  init(_ convention: PriceConvention) { learned = Mutex(convention) }

  var convention: PriceConvention { learned.withLock { $0 } }

  func add(_ amount: AmountText, currency: String?) {
    learned.withLock { $0.add(amount, currency: currency) }
  }
}
