@testable import ShopModel
@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Prices as exports write them. A wrong one is worse than none.
@Suite struct PriceTests {
  struct Spelling: CustomTestStringConvertible, Sendable {
    let text: String
    /// Amount and currency, or `nil` for a price that is left out.
    let price: String?
    var currency: String?
    var testDescription: String { text }

    init(_ text: String, _ price: String?, currency: String? = nil) {
      (self.text, self.price, self.currency) = (text, price, currency)
    }
  }

  private static func read(
    _ text: String, _ convention: PriceConvention = PriceConvention(), currency: String? = nil,
    column: String? = nil
  ) throws(FieldError) -> String {
    let prices = FeedPrices(currency: currency, convention: convention)
    guard case .object(let price) = try prices.price(text, column: column),
      case .string(let amount)? = price["amount"], case .string(let code)? = price["currency"]
    else { return "" }
    _ = try Price(amount: amount, currency: code)
    return "\(amount) \(code)"
  }

  /// A price on its own: by its form and its currency.
  @Test(arguments: [
    Spelling("14.90 EUR", "14.90 EUR"), Spelling("14,90 EUR", "14.90 EUR"),
    Spelling("EUR 14.90", "14.90 EUR"), Spelling("14.90EUR", "14.90 EUR"),
    Spelling("14.90 eur", "14.90 EUR"), Spelling("€14.90", "14.90 EUR"),
    Spelling("14,90 €", "14.90 EUR"), Spelling("1,299.00 USD", "1299.00 USD"),
    Spelling("1.299,00 EUR", "1299.00 EUR"), Spelling("1 299,00 EUR", "1299.00 EUR"),
    Spelling("1\u{A0}299,00 €", "1299.00 EUR"), Spelling("1\u{202F}299,00 €", "1299.00 EUR"),
    Spelling("$1,299.00", "1299.00 USD"), Spelling("US$ 1,299.00", "1299.00 USD"),
    Spelling("$14.90 USD", "14.90 USD"), Spelling("Rs. 1,499.00", "1499.00 INR"),
    Spelling("₹1,49,900.00", "149900.00 INR"), Spelling("Rs.499", "499 INR"),
    Spelling("CHF 1'299.00", "1299.00 CHF"), Spelling("1’299.– CHF", "1299 CHF"),
    Spelling("14,- €", "14 EUR"), Spelling("£.99", "0.99 GBP"),
    Spelling("1.299.000 VND", "1299000 VND"),
    Spelling("R$ 1.299,90", "1299.90 BRL"), Spelling("1 299 zł", "1299 PLN"),
    Spelling("12 345,67 Kč", "12345.67 CZK"), Spelling("0.299 EUR", "0.299 EUR"),
    Spelling("14.900000 EUR", "14.90 EUR"), Spelling("1299.0000 USD", "1299.00 USD"),
    Spelling("A$14.90", "14.90 AUD"), Spelling("１２.５０ EUR", "12.50 EUR"),
    // A thousandth of the price was stored for these two.
    Spelling("1,299 USD", "1299 USD"), Spelling("1.299 EUR", "1299 EUR"),
    Spelling("¥1,299", "1299 JPY"), Spelling("1.299 JPY", "1299 JPY"),
    Spelling("12.500 KWD", "12.500 KWD"),
    // In the countries of these currencies the mark is a decimal one, but no amount has three
    // decimals.
    Spelling("1.299 USD", nil), Spelling("1,299 EUR", nil), Spelling("1,299 XCD", nil),
    Spelling("14.90", nil), Spelling("14.90", "14.90 EUR", currency: "EUR"),
    Spelling("$14.90", "14.90 CAD", currency: "CAD"),
    Spelling("€14.90", "14.90 EUR", currency: "USD"),
    Spelling("149 kr", nil), Spelling("149 kr", "149 SEK", currency: "SEK"),
    Spelling("10.00 - 20.00 EUR", nil), Spelling("-14.90 EUR", nil), Spelling("cheap", nil),
    Spelling("", nil), Spelling("14.90 XXQ", nil), Spelling("€14.90 USD", nil),
    Spelling("1499 RUR", "1499 RUB"),
    Spelling("1.29.00 EUR", nil), Spelling("14 90 EUR", nil), Spelling("1,299,00 EUR", nil),
  ])
  func `a spelling is read or left out`(spelling: Spelling) throws {
    let read = try? Self.read(spelling.text, currency: spelling.currency)
    #expect(read == spelling.price)
  }

  /// A price that is ambiguous in its own row is read as the other rows show.
  @Test(
    arguments: [
      (["14,90 EUR"], "1.299 EUR", "1299 EUR"), (["14.90 EUR"], "1,299 EUR", "1299 EUR"),
      (["1.299,00 USD"], "1.299 USD", "1299 USD"), (["12.6050 USD"], "1.299 USD", "1.299 USD"),
      (["14.90 USD"], "1.299 USD", nil), (["14.90 EUR"], "1.299 EUR", nil),
      (["14.90 EUR", "14,90 EUR"], "1.299 EUR", nil), (["14,90 EUR"], "1,299 EUR", nil),
      (["1.299.000 EUR"], "1.299 EUR", "1299 EUR"),
    ] as [([String], String, String?)])
  func `the other rows of a feed decide`(rows: [String], text: String, price: String?) throws {
    let lesson = PriceLesson(PriceConvention())
    for row in rows + [text] { _ = try? FeedPrices(currency: nil, learning: lesson).price(row) }
    #expect((try? Self.read(text, lesson.convention)) == price)
  }

  @Test(arguments: [
    ("de", "1.299 EUR", "1299 EUR"), ("de-DE", "1,299 EUR", "1.299 EUR"),
    ("en", "1,299 EUR", "1299 EUR"),
    ("en", "1.299 USD", "1.299 USD"), ("de_CH", "1,299 CHF", "1299 CHF"),
    ("fr", "1,299 EUR", "1.299 EUR"),
  ])
  func `a locale decides`(locale: String, text: String, price: String) throws {
    let mark = try #require(LocaleMark.of(locale))
    #expect(try Self.read(text, PriceConvention(localeMark: mark)) == price)
  }

  @Test func `a column of its own names the currency`() throws {
    #expect(try Self.read("14.90", currency: "USD", column: "EUR") == "14.90 EUR")
    #expect(try Self.read("$14.90", column: "CAD") == "14.90 CAD")
    #expect(try Self.read("14.90", currency: "EUR", column: " - ") == "14.90 EUR")
  }

  /// The currency of the options would make 14.90 EUR of 14.90 units of another currency.
  @Test func `a currency of its own that is not known leaves the price out`() throws {
    #expect(throws: FieldError.self) {
      try Self.read("14.90", currency: "EUR", column: "BITCOIN")
    }
    // The mark of the price itself says enough.
    #expect(try Self.read("14.90 USD", currency: "EUR", column: "shop") == "14.90 USD")
  }

  @Test(arguments: ["0", "0.00", "0,00", "0,00 €", "0.00 EUR", "€ 0"])
  func `a reduced price of zero is none`(text: String) throws {
    let export = try ReadExport("sku;name;price;sale_price\na;Mug;14,90 €;\(text)\n")
    #expect(try export.product("a").price?.amount == "14.90" && export.warnings.isEmpty)
  }

  /// A reduction that has ended would be shown as the price.
  @Test func `a reduction with dates is kept beside the price`() throws {
    let export = try ReadExport(
      """
      id,title,link,image_link,price,sale_price,sale_price_effective_date
      a,Mug,https://s.example/a,a.jpg,14.90 EUR,9.90 EUR,2016-02-24T11:07+0100/2016-03-07T23:07+0100
      b,Cup,https://s.example/b,b.jpg,14.90 EUR,9.90 EUR,
      """)
    let dated = try export.product("a")
    #expect(dated.price?.amount == "14.90" && dated.extra["sale_price"] == .string("9.90 EUR"))
    #expect(try export.product("b").price?.amount == "9.90")
  }

  /// Whatever comes, a price that is read has the digits of its text.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `no digit is lost or added`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "1", "29", "299", "00", ".", ",", " ", "'", "€", "EUR", "$", "Rs.", "-", "\u{A0}", "0",
    ]
    let text = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
      pieces.randomElement(using: &generator)!
    }.joined()
    guard let read = try? Self.read(text, currency: "EUR") else { return }
    func digits(_ text: String) -> String {
      let digits = text.filter(\.isNumber)
      return String(digits.drop { $0 == "0" })
    }
    var own = digits(text)
    let other = digits(read)
    while own.count > other.count, own.last == "0" { own.removeLast() }
    #expect(own == other, "\(text) was read as \(read)")
  }
}
