#if canImport(FoundationXML)
  internal import Foundation
  internal import FoundationXML
#else
  internal import Foundation
#endif

/// The items of a Merchant feed in XML: `item` of RSS 2.0, `entry` of Atom.
///
/// A record is cut out from tag to tag, so that memory is that of one item, and read by the system's
/// parser, which resolves no outside entity.
enum MerchantXML {
  /// What begins and ends a record.
  static let tags = [("<item", "</item>"), ("<entry", "</entry>")]

  /// The fields of an item, a name as often as it stands there.
  static func fields(_ item: [UInt8]) throws(FieldError) -> [(name: String, text: String)] {
    // Foundation traps on an element name that is not UTF-8.
    guard String(validating: item, as: UTF8.self) != nil else {
      throw FieldError(field: nil, reason: "is not UTF-8")
    }
    let document = Data("<r xmlns:g=\"g\">".utf8) + Data(item) + Data("</r>".utf8)
    let reader = ItemReader()
    let parser = XMLParser(data: document)
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    guard parser.parse() else {
      throw FieldError(
        field: nil, reason: "is not well-formed XML: \(parser.parserError.map { "\($0)" } ?? "")")
    }
    return reader.fields
  }

  private final class ItemReader: NSObject, XMLParserDelegate {
    var fields: [(name: String, text: String)] = []
    private var depth = 0
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      depth += 1
      text = ""
      // An Atom link stands in an attribute.
      if depth == 3, elementName == "link", let target = attributes["href"] { text = target }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) {
      text += String(decoding: CDATABlock, as: UTF8.self)
    }

    func parser(
      _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      if depth == 3 {
        fields.append((FeedColumns.normalized(elementName), FeedRows.trimmed(text)))
      }
      depth -= 1
    }
  }
}
