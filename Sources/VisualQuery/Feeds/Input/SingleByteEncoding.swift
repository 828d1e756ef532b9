/// An encoding in which each byte is one character. The first 128 characters are those of ASCII.
///
/// Source: the mappings of the Unicode Consortium, <https://www.unicode.org/Public/MAPPINGS/>.
struct SingleByteEncoding: Sendable, Hashable {
  /// The name, as reports give it.
  let name: String
  /// The characters from 0x80 on; U+FFFD at bytes without one.
  private let upper: [Unicode.Scalar]

  private init(_ name: String, _ upper: String) {
    self.name = name
    self.upper = Array(upper.unicodeScalars)
  }

  /// Returns the character of a byte, or `nil` if there is none.
  func scalar(_ byte: UInt8) -> Unicode.Scalar? {
    if byte < 0x80 { return Unicode.Scalar(byte) }
    let scalar = upper[Int(byte) - 0x80]
    return scalar == "\u{FFFD}" ? nil : scalar
  }

  /// Returns the encoding that a document declares, or `nil` if it is unknown. ISO-8859-1 is read
  /// as Windows-1252, which has the same characters and those that programs write in spite of the
  /// declaration.
  static func named(_ name: String) -> SingleByteEncoding? {
    switch name.lowercased().replacing("_", with: "-") {
    case "cp1250", "windows-1250": windows1250
    case "cp1251", "windows-1251": windows1251
    case "ascii", "cp1252", "iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii",
      "windows-1252":
      windows1252
    case "cp1253", "windows-1253": windows1253
    case "cp1254", "iso-8859-9", "windows-1254": windows1254
    case "cp1257", "windows-1257": windows1257
    case "iso-8859-2", "iso8859-2", "latin2": iso8859_2
    case "iso-8859-15", "iso8859-15", "latin9": iso8859_15
    case "koi8-r": koi8r
    default: nil
    }
  }

  static let windows1250 = SingleByteEncoding(
    "Windows-1250",
    """
    €\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰Š‹ŚŤŽŹ\u{FFFD}‘’“”•–—\u{FFFD}™š›śťžź\
    \u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż\
    ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
    ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙
    """)
  static let windows1251 = SingleByteEncoding(
    "Windows-1251",
    """
    ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{FFFD}™љ›њќћџ\
    \u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї\
    АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
    абвгдежзийклмнопрстуфхцчшщъыьэюя
    """)
  static let windows1252 = SingleByteEncoding(
    "Windows-1252",
    """
    €\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ\
    \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
    àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ
    """)
  static let windows1253 = SingleByteEncoding(
    "Windows-1253",
    """
    €\u{FFFD}‚ƒ„…†‡\u{FFFD}‰\u{FFFD}‹\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}‘’“”•–—\u{FFFD}™\u{FFFD}›\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
    \u{A0}΅Ά£¤¥¦§¨©\u{FFFD}«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ\
    ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήί\
    ΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{FFFD}
    """)
  static let windows1254 = SingleByteEncoding(
    "Windows-1254",
    """
    €\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}\u{FFFD}Ÿ\
    \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß\
    àáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ
    """)
  static let windows1257 = SingleByteEncoding(
    "Windows-1257",
    """
    €\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰\u{FFFD}‹\u{FFFD}¨ˇ¸\u{FFFD}‘’“”•–—\u{FFFD}™\u{FFFD}›\u{FFFD}¯˛\u{FFFD}\
    \u{A0}\u{FFFD}¢£¤\u{FFFD}¦§Ø©Ŗ«¬\u{AD}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ\
    ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß\
    ąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙
    """)
  static let iso8859_2 = SingleByteEncoding(
    "ISO-8859-2",
    """
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
    \u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż\
    ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
    ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙
    """)
  static let iso8859_15 = SingleByteEncoding(
    "ISO-8859-15",
    """
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
    \u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
    àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ
    """)
  static let koi8r = SingleByteEncoding(
    "KOI8-R",
    """
    ─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷\
    ═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©\
    юабцдефгхийклмнопярстужвьызшэщчъ\
    ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ
    """)
}
