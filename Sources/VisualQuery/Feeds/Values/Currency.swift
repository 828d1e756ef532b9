/// The currencies of ISO 4217 and the marks by which feeds write them.
enum Currency {
  /// The codes that are accepted in a price.
  static let codes = Set(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF \
    CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK \
    HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL \
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON \
    RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH \
    UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL
    """.split(separator: " ").map(String.init))

  /// The number of digits after the decimal mark in amounts of a currency.
  static func minorDigits(of code: String) -> Int {
    if withoutMinorUnit.contains(code) { return 0 }
    return withThreeMinorDigits.contains(code) ? 3 : 2
  }

  /// The decimal mark in the countries of a currency, or `nil` if it is unknown.
  static func decimalMark(of code: String) -> Character? {
    if withComma.contains(code) { return "," }
    return withPoint.contains(code) ? "." : nil
  }

  /// Returns the currencies that a mark such as `€`, `kr` or `Rs` may stand for, the usual one
  /// first; `nil` if it is not a mark. A mark without a usual currency, such as `kr`, begins with
  /// an empty code.
  static func candidates(for mark: String) -> [String]? {
    let upper = mark.uppercased()
    if codes.contains(upper) { return [upper] }
    return marks[mark.lowercased()]
  }

  private static func list(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }

  private static let withoutMinorUnit = list(
    "JPY KRW VND CLP PYG UGX RWF ISK XAF XOF XPF BIF DJF GNF KMF VUV")
  private static let withThreeMinorDigits = list("KWD BHD OMR JOD TND IQD LYD")
  private static let withComma = list(
    "EUR SEK NOK DKK PLN CZK HUF RON BGN BRL RUB UAH TRY ARS COP IDR RSD HRK MAD UYU KZT BYN GEL MKD BAM ALL MDL"
  )
  private static let withPoint = list(
    """
    USD GBP CAD AUD NZD SGD HKD INR CNY MXN THB MYR PHP TWD ILS CHF AED SAR QAR EGP PKR BDT LKR NGN KES PEN DOP GTQ \
    HNL NIO GHS NPR KWD BHD OMR JOD
    """)

  /// The marks besides codes, in lower case, without blanks and full stops at their ends.
  private static let marks: [String: [String]] = [
    "€": ["EUR"], "euro": ["EUR"], "euros": ["EUR"], "£": ["GBP"], "₹": ["INR"], "₽": ["RUB"],
    "rur": ["RUB"],
    "₺": ["TRY"], "₩": ["KRW"], "₪": ["ILS"], "₫": ["VND"], "đ": ["VND"], "₴": ["UAH"],
    "₦": ["NGN"],
    "฿": ["THB"], "₱": ["PHP"], "₸": ["KZT"], "zł": ["PLN"], "zl": ["PLN"], "kč": ["CZK"],
    "kc": ["CZK"], "ft": ["HUF"], "fr": ["CHF"], "sfr": ["CHF"], "lei": ["RON"], "лв": ["BGN"],
    "руб": ["RUB"], "грн": ["UAH"], "tl": ["TRY"], "r$": ["BRL"], "us$": ["USD"], "$us": ["USD"],
    "a$": ["AUD"], "au$": ["AUD"], "c$": ["CAD"], "ca$": ["CAD"], "nz$": ["NZD"], "hk$": ["HKD"],
    "s$": ["SGD"], "nt$": ["TWD"], "mx$": ["MXN"], "rp": ["IDR"], "rm": ["MYR"], "円": ["JPY"],
    "元": ["CNY"], "rmb": ["CNY"], "원": ["KRW"], "¥": ["JPY", "CNY"], "￥": ["JPY", "CNY"],
    "rs": ["INR", "PKR", "LKR", "NPR", "MUR"], "kr": ["", "SEK", "NOK", "DKK", "ISK"],
    "$": [
      "USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN", "ARS", "CLP", "COP", "UYU", "TWD", "DOP",
    ],
  ]
}
