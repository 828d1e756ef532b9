/// A number by which a product is known everywhere: a GTIN of 8, 12, 13 or 14 digits, as EAN, UPC, ISBN-13 and ISSN codes have
/// it. Source: GS1 General Specifications, 3.3 and 7.9.
package struct ProductCode: Sendable, Hashable, CustomStringConvertible {
  /// The 14 digits, with zeros before shorter numbers.
  package let description: String

  /// The names of fields with such numbers, in lower case without other characters than letters and digits.
  private static let fields: Set<String> = [
    "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "ean", "ean8", "ean13", "upc", "upca", "isbn",
    "isbn13", "barcode", "variantbarcode", "gtinupceanorisbn", "upcean", "productupcean",
    "globaltradenumber", "productupc", "productean", "productisbn", "pupc", "pean", "pisbn",
  ]

  /// The parts of names of such fields: the name of each contains at least one of them, ignoring
  /// case and other characters.
  package static let fieldParts = ["gtin", "ean", "upc", "isbn", "barcode", "globaltradenumber"]

  /// Returns whether a field of this name has such numbers.
  package static func isField(_ name: String) -> Bool {
    // This runs for each field of each row, so names in ASCII are compared by their bytes, which is fast.
    var plain: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        plain.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): plain.append(byte | 0x20)
      case 0x80...:
        return fields.contains(String(name.lowercased().filter { $0.isLetter || $0.isNumber }))
      default: continue
      }
    }
    return fieldBytes.contains(plain)
  }

  /// The bytes of ``fields``.
  private static let fieldBytes = Set(fields.map { Array($0.utf8) })

  /// Returns whether a text is a long number as spreadsheets round it: `4.01235E+12`, or `4,01235E+12` in some languages.
  package static func isRounded(_ text: String) -> Bool {
    let parts = text.trimmed.split(whereSeparator: { $0 == "E" || $0 == "e" })
    guard parts.count == 2, parts[1].first == "+", parts[1].count > 1,
      parts[1].dropFirst().allSatisfy(\.isNumber), parts[0].first?.isNumber == true
    else { return false }
    let rest = parts[0].dropFirst()
    return rest.isEmpty
      || rest.count > 1 && ".,".contains(rest.first ?? "0")
        && rest.dropFirst().allSatisfy(\.isNumber)
  }

  /// The end of a reason that such a number is of no use.
  package static let roundingAdvice =
    "as a spreadsheet rounds long numbers; format the column as text and export again"

  /// Reads a number, in which blanks and hyphens are ignored.
  ///
  /// Returns `nil` if the number of digits or the check digit is wrong.
  package init?(_ text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard [8, 12, 13, 14].contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let padded = Array(repeating: UInt8(ascii: "0"), count: 14 - digits.count) + digits
    let sum = padded.enumerated().reduce(0) { sum, digit in
      sum + Int(digit.element - UInt8(ascii: "0")) * (digit.offset.isMultiple(of: 2) ? 3 : 1)
    }
    guard sum.isMultiple(of: 10) else { return nil }
    description = String(decoding: padded, as: UTF8.self)
  }

  /// Returns the number that the content of a code has: the content itself, the GTIN of a GS1 element string, `(01)04006381333931` or
  /// `0104006381333931…`, or that of a GS1 Digital Link, `https://id.gs1.org/01/04006381333931/10/A1`, whatever its host.
  ///
  /// Sources: GS1 General Specifications, 3.2 and 7.8; GS1 Digital Link Standard, URI Syntax, 4.3.
  package static func text(in content: String) -> String? {
    if ProductCode(content) != nil { return content }
    return (linkedTexts(in: content) ?? elementTexts(in: content)).first { ProductCode($0) != nil }
  }

  /// The parts of a path that may be a number, or `nil` if the content is no link.
  private static func linkedTexts(in content: String) -> [String]? {
    let parts = content.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    guard let scheme = parts.first?.lowercased(), ["http:", "https:"].contains(scheme) else {
      return nil
    }
    return zip(parts, parts.dropFirst()).filter { ["01", "gtin"].contains($0.0.lowercased()) }
      .map { String($0.1) }
  }

  /// The 14 digits after the identifier of a GTIN, which begins the text but for the name of the symbol and a separator.
  private static func elementTexts(in content: String) -> [String] {
    var text = Substring(content)
    if text.first == "]" { text = text.dropFirst(3) }
    text = text.drop { $0 == "\u{FFFD}" || $0 == "\u{1D}" }
    guard let identifier = ["(01)", "01"].first(where: { text.hasPrefix($0) }) else { return [] }
    let digits = text.dropFirst(identifier.count).prefix(14)
    return digits.utf8.count == 14 ? [String(digits)] : []
  }

  /// The forms in which a feed may have the number: with 14, 13, 12 and 8 digits, as far as the digits left out are zeros,
  /// and without zeros before it.
  package var forms: [String] {
    let fixed = [14, 13, 12, 8].compactMap { length in
      description.dropLast(length).allSatisfy { $0 == "0" }
        ? String(description.suffix(length)) : nil
    }
    let bare = String(description.drop { $0 == "0" })
    return fixed + (fixed.contains(bare) || bare.isEmpty ? [] : [bare])
  }
}
