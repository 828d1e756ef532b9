/// An amount of money in JSON, as the interfaces of shops have it.
struct JSONMoney {
  /// The amount with a decimal point.
  let amount: String
  /// The currency, or `nil` if the object has none.
  let currency: String?

  /// The keys of amounts that are texts or numbers, the surest first.
  private static let amountNames = ["amount", "value", "price", "calculated_amount"]
  /// The keys of objects and lists that hold the price, the surest first.
  private static let innerNames = [
    "final_price", "finalPrice", "discounted", "price", "gross", "value", "minimum_price",
    "minVariantPrice", "start", "priceRange", "price_range", "regular_price", "basePrice",
    "base_price", "min", "net",
  ]
  /// The most levels of objects around an amount.
  private static let depthLimit = 6

  /// Reads the money in a value. In a list, the first price that is not for special customers counts.
  init?(in value: JSONValue, depth: Int = 0) {
    guard depth < Self.depthLimit else { return nil }
    switch value {
    case .array(let values):
      func isSpecial(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value else { return false }
        return object["customerGroup"] != nil || object["price_list_id"].map { $0 != .null } == true
      }
      let found = values.filter { !isSpecial($0) } + values.filter(isSpecial)
      guard let first = Self.first(in: found, depth: depth + 1) else { return nil }
      self = first
    case .object(let object):
      if let exact = Self.inUnits(of: object) {
        self = exact
        return
      }
      let currency = Self.currency(of: object)
      if let currency,
        let amount = Self.amountNames.lazy.compactMap({ Self.number(object[$0]) }).first
      {
        (self.amount, self.currency) = (amount, currency)
        return
      }
      let found = Self.innerNames.compactMap { object[$0] }
      guard let inner = Self.first(in: found, depth: depth + 1) else { return nil }
      (amount, self.currency) = (inner.amount, inner.currency ?? currency)
    default: return nil
    }
  }

  /// Returns the first money in some values. A loop, because the first element of a lazy sequence is computed twice.
  private static func first(in values: [JSONValue], depth: Int) -> JSONMoney? {
    for value in values { if let money = JSONMoney(in: value, depth: depth) { return money } }
    return nil
  }

  private init(_ amount: String, _ currency: String?) {
    (self.amount, self.currency) = (amount, currency)
  }

  /// Returns the money of an object that says what part of the currency its numbers count: commercetools (`centAmount`), Etsy
  /// (`divisor`), the store interface of WooCommerce (`currency_minor_unit`).
  static func inUnits(of object: [String: JSONValue]) -> JSONMoney? {
    let currency = currency(of: object)
    if let count = integer(object["centAmount"]) {
      return JSONMoney(decimal(count, digits: integer(object["fractionDigits"]) ?? 2), currency)
    }
    if let count = integer(object["amount"]), let divisor = integer(object["divisor"]), divisor > 0
    {
      let digits = String(divisor).count - 1
      guard String(divisor) == "1" + String(repeating: "0", count: digits) else { return nil }
      return JSONMoney(decimal(count, digits: digits), currency)
    }
    if let digits = integer(object["currency_minor_unit"]), let count = integer(object["price"]) {
      return JSONMoney(decimal(count, digits: digits), currency)
    }
    return nil
  }

  /// Reads the first of the prices of commercetools, whose numbers are cents: `EUR 1490;US-USD 1690`.
  init?(cents text: String) {
    let words = text.split(separator: ";").first?.split(separator: " ") ?? []
    guard words.count > 1, let code = words[0].split(separator: "-").last.map(String.init),
      Currency.codes.contains(code),
      let count = Int(words[1].prefix { $0.isNumber || $0 == "-" })
    else { return nil }
    self.init(Self.decimal(count, digits: code == "JPY" || code == "KRW" ? 0 : 2), code)
  }

  /// Returns a number of cents as an amount: 1490 with two digits is `14.90`.
  static func decimal(_ count: Int, digits: Int) -> String {
    guard (1...6).contains(digits) else { return "\(count)" }
    let text = String(count.magnitude)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return (count < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
  }

  private static func currency(of object: [String: JSONValue]) -> String? {
    for name in ["currencyCode", "currency", "currency_code", "currencyId", "currency_id"] {
      if case .string(let code)? = object[name] { return code.uppercased() }
    }
    return nil
  }

  /// Returns the number in a value, or in a text of digits.
  static func integer(_ value: JSONValue?) -> Int? {
    switch value {
    case .integer(let number)?: Int(exactly: number)
    case .string(let text)?: Int(text)
    default: nil
    }
  }

  private static func number(_ value: JSONValue?) -> String? {
    switch value {
    case .integer?, .number?: value?.text
    case .string(let text)? where text.contains(where: \.isNumber): text
    default: nil
    }
  }
}
