import Testing

@testable import ShopSearch
import VisualQuery

/// Would break if a price were written as nobody of the language reads it.
@Suite struct LocalizedPriceTests {
  @Test(arguments: [
    ("1234.50", "EUR", "de", "1.234,50\u{A0}€"), ("14.90", "EUR", "de-DE", "14,90\u{A0}€"),
    ("1234.50", "CHF", "de-CH", "CHF\u{A0}1’234.50"),
    ("1234567", "EUR", "fr", "1\u{202F}234\u{202F}567\u{A0}€"),
    ("1234.50", "USD", "en-US", "$1,234.50"), ("1234.50", "USD", "en-CA", "USD\u{A0}1,234.50"),
    ("999", "JPY", "ja", "¥999"), ("3.60", "EUR", "en", "€3.60"),
    ("1234.5", "EUR", "es", "1234,5\u{A0}€"),
    ("12345.5", "EUR", "es_ES", "12.345,5\u{A0}€"), ("1234.50", "EUR", "nl", "€\u{A0}1.234,50"),
    ("1234.50", "SEK", "sv", "1\u{A0}234,50\u{A0}SEK"), ("1234.50", "EUR", "xx", "1234.50 EUR"),
  ])
  func `a price is written as in the language`(
    amount: String, currency: String, language: String, expected: String
  ) throws {
    let price = try Price(amount: amount, currency: currency)
    #expect(LocalizedPrice.text(price, in: language) == expected)
  }

  @Test func `without a language, a price is as the shop wrote it`() throws {
    #expect(
      LocalizedPrice.text(try Price(amount: "1234.50", currency: "EUR"), in: nil) == "1234.50 EUR")
  }
}
