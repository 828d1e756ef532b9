@testable import ShopIndex
@testable import ShopSearch
import Foundation
@testable import ShopFeeds
@testable import ShopBase
@testable import ShopModel
import VisualQuery

/// Feeds whose first character makes them JSON: lines of our own form, or a document of schema.org.
enum JSONTarget: FuzzTarget {
  static let name = "json"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let first = FeedCheck.firstCharacter(bytes), "{[".utf8.contains(first) else {
      return false
    }
    if let value = try? JSONValue(json: bytes) {
      precondition((try? JSONValue(stored: value.text)) == value, "a value changes in its own text")
    }
    FeedCheck.run(bytes)
    return true
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      #"{"type":"product","id":"mug","title":"Camp mug","labels":["mug","cup"],"#
        + #""images":["img/mug.jpg"],"url":"https://shop.example/p/mug","featured":true,"#
        + #""price":{"amount":"14.90","currency":"EUR"},"availability":"inStock","group":"mugs","#
        + #""brand":"B","localized":{"de":{"title":"Becher","synonyms":["Tasse"]}},"#
        + #""x":[1,-2.5e3,null,true,"\u00e9\ud83d\ude00\n"]}"# + "\n"
        + #"{"type":"store","id":"s","title":"Harbour","stock":["mug"],"#
        + #""geo":{"latitude":59.3,"longitude":18.1},"address":"Quay 1","#
        + #""openingHours":["Mo-Fr 09:00-18:00"],"timeZone":"Europe/Stockholm"}"#,
      #"{"@context":"https://schema.org","@graph":["# + "\n"
        + #"{"@type":"Product","sku":"a","name":"A","image":["a.jpg"],"category":"B > C","#
        + #""offers":[{"price":1,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}],"#
        + #""isVariantOf":{"productGroupID":"g"}},"# + "\n"
        + #"{"@type":["BookStore"],"branchCode":"s","name":"S","geo":{"latitude":1,"longitude":"2"},"#
        + #""address":{"streetAddress":"Q 1","addressCountry":"SE"},"openingHours":"Mo 09:00-10:00"}]}"#,
      #"{"line":1,"reason":"x","row":{"type":"product","id":"a","title":"A"}}"#,
      #"{"products":[{"id":1,"title":"Tee","handle":"tee","body_html":"<p>A &amp; b</p>","# + "\n"
        + #""options":[{"name":"Color"}],"images":[{"src":"r.jpg","alt":"red"}],"variants":["#
        + #"{"id":11,"option1":"Red","price":"1,299.00","sku":"T-R","featured_image":{"src":"r.jpg"}},"#
        + #"{"id":12,"option1":"Blue","price":11.5,"sku":"T-B"}]}]}"#,
      "[\n  {\"identifier\": \"1\", \"values\": {\"name\": [{\"data\": \"Mug\", \"locale\": \"en\"}],\n"
        + "  \"price\": [{\"data\": [{\"amount\": \"14.90\", \"currency\": \"EUR\"}]}]}}\n]",
      #"{"@context":"https://schema.org","@type":"ProductGroup","productGroupID":"G","name":"M","#
        + "\n"
        + #""hasVariant":[{"sku":"m","color":"Red","image":{"url":"r.jpg"},"offers":{"price":"1"}}]}"#
    )
  }

  static let dictionary = utf8(
    #""type":"product""#, #""type":"store""#, #""id":"a""#, #""title":"a""#, #""labels":["#,
    #""images":["#, #""price":{"amount":"1","currency":"EUR"}"#, #""openingHours":["#, #""geo":{"#,
    #""localized":{"de":{"#, #""extra":{"#, #""url":"https://a.b/""#, #""@type":"Product""#,
    #""@graph":["#, "[[[[[[[[", "]]]]]]]]", #"{"a":{"a":{"a":"#, "}}}}", "1e999", "-0", "1E-400",
    #""variants":["#, #""option1":"Red""#, #""options":[{"name":"Color"}]"#, #""hasVariant":["#,
    #""offers":{"price":""#, #""images":[{"src":""#, #""values":{"#, #""data":"#,
    "9223372036854775808", #"\ud800"#, #"\u0000"#, "\u{FEFF}", "null", "true", "\n")
}

/// Tables: our own columns, and those of shop systems.
enum CSVTarget: FuzzTarget {
  static let name = "csv"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let first = FeedCheck.firstCharacter(bytes), !"{[<".utf8.contains(first) else {
      return false
    }
    FeedCheck.run(bytes)
    return true
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      "type,id,title,labels,images,price,featured\nproduct,mug,\"Camp \"\"mug\"\"\nred\",mug|cup,"
        + "a.jpg|b.jpg,14.90 EUR,true\n",
      "type,id,title,geo.latitude,geo.longitude,stock,openingHours,timeZone\r\n"
        + "store,s,Harbour,59.3,18.1,mug,Mo-Fr 09:00-18:00,Europe/Stockholm\r\n",
      "id\ttitle\timage link\tprice\tsale_price\tavailability\tproduct type\n"
        + "a\t\"A \"\"b\"\"\"\thttps://a.b/c.jpg\t14.90 EUR\tEUR 9\tin stock\tHome > Mugs\n",
      "Handle,Title,Image Src,Variant Price,Tags,Status\na,A,https://a.b/c.jpg,9.90,\"x, y\",active\n"
        + "a,,https://a.b/d.jpg,,,\nb,B,,1,,draft\n",
      "gs://bucket/a.jpg,i,set,p1,homegoods-v2,Mug,\"color=red,style=camp\",\n"
        + "gs://bucket/b.jpg,,set,p1,homegoods-v2,,,\n",
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Variant Image\n"
        + "a,A,Color,Red,R,\"1,299.00\",f.jpg,r.jpg\na,,,Blue,B,9.90,b.jpg,\n",
      "ID,Type,SKU,Name,Published,Regular price,Images,Parent,Attribute 1 name,Attribute 1 value(s)\n"
        + "1,variable,t,T,1,,\"a.jpg, b.jpg\",,Color,\"Red, Blue\"\n2,variation,r,,1,9,r.jpg,id:1,Color,Red\n",
      "sku,attribute_set_code,product_type,name,price,base_image,additional_attributes,configurable_variations\n"
        + "r,T,simple,R,9.0,/r.jpg,color=Red,\nt,T,configurable,T,,,,\"sku=r,color=Red|sku=s,color=Blue\"\n",
      "Item,ID,Name,SKU,Options,Price,Image URL (Import)\nProduct,1,M,m,,9,a.jpg\n"
        + "Variant,2,,m-r,Type=Swatch|Name=Color|Value=Red[#f00],9,r.jpg\nImage,,,,,,b.jpg\n",
      "#INFO,Version=1\n*Action(Currency=USD),CustomLabel,*Title,Relationship,RelationshipDetails,PicURL\n"
        + "Add,T,Tee,,Color=Red;Blue,a.jpg|b.jpg\n,R,,Variation,Color=Red,r.jpg\n",
      "Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Price,"
        + "Sale Price,On Sale,Stock,Visible,Hosted Image URLs\n5,9,M,R,Color,Red,14,9,Yes,3,Yes,"
        + "https://a.b/r.jpg https://a.b/b.jpg\n,8,,B,Color,Blue,15,,No,Unlimited,,\n",
      "handleId,fieldType,name,productImageUrl,sku,price,surcharge,visible,inventory,productOptionName1,"
        + "productOptionDescription1\np,Product,M,a~mv2.jpg;b.jpg,,14,,true,InStock,Color,#f00:Red;#00f:Blue\n"
        + "p,Variant,,,R,,1.5,true,3,Color,#f00:Red\n",
      "sep=;\nArtikelnr;Bezeichnung;Bild;Preis\nx;K\u{E4}se;a.jpg,b.jpg;1.299,00 \u{20AC}\n")
  }

  static let dictionary = utf8(
    "type,id,title", "product,", "store,", "\"\"", "\",\"", "|", "\t", "\r\n", "image_link",
    "availability", "in_stock", "14.90 EUR", "Handle", "Variant Price", "gs://", "geo.latitude",
    "openingHours", "Mo-Su 00:00-24:00", "labels", "stock", "\u{FEFF}", "variable", "variation",
    "configurable", "color=Red", "sku=a", "Option1 Value", "fieldType", "Variant", "Image Src",
    "1.299,00", "\u{20AC}", "Rs. ", "sep=;", "TemplateType", "\u{FF}\u{FE}", "Relationship")
}

/// Merchant feeds of RSS and Atom.
enum XMLTarget: FuzzTarget {
  static let name = "xml"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard FeedCheck.firstCharacter(bytes) == UInt8(ascii: "<") else { return false }
    FeedCheck.run(bytes)
    return true
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      "<?xml version=\"1.0\"?><rss xmlns:g=\"http://base.google.com/ns/1.0\"><channel><item>"
        + "<g:id>a</g:id><title><![CDATA[A & B]]></title><link>https://a.b/c</link>"
        + "<g:image_link>https://a.b/c.jpg</g:image_link><g:price>14.90 EUR</g:price>"
        + "<g:availability>in_stock</g:availability><g:product_type>A &gt; B</g:product_type>"
        + "</item></channel></rss>",
      "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><g:id>b</g:id><title>B &#233;</title>"
        + "<link href=\"https://a.b/d\"/><!-- c --><g:price>USD 1,50</g:price>"
        + "<g:sale_price>1 USD</g:sale_price></entry>\n<entry ><g:id>c</g:id></entry></feed>")
  }

  static let dictionary = utf8(
    "<item>", "</item>", "<entry>", "</entry>", "<g:id>", "</g:id>", "<title>", "</title>",
    "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE a [", "<!ENTITY b \"c\">", "&b;", "&#0;", "&amp;",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "xmlns:g=\"g\"", "<link href=\"", "/>")
}

/// Pages of HTML with JSON-LD in them.
enum HTMLTarget: FuzzTarget {
  static let name = "html"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    guard FeedCheck.firstCharacter(bytes) == UInt8(ascii: "<") else { return false }
    FeedCheck.run(bytes)
    let text = PlainText.text(String(decoding: bytes, as: UTF8.self))
    precondition(text.utf8.count <= 4 * bytes.count + 16, "a text is longer than its HTML")
    return true
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      "<!DOCTYPE html><html><head><meta charset=\"iso-8859-1\"><script type=\"application/ld+json\">"
        + #"{"@type":"Product","sku":"a","name":"A &amp; b","image":"a.jpg","offers":{"price":"1"}}"#
        + "</script></head><body><p>x</p><script type='application/ld+json'>"
        + #"[{"@type":"ProductGroup","productGroupID":"G","name":"M","hasVariant":[{"sku":"m"}]}]"#
        + "</script></body></html>", "<html><body><h1>502 Bad Gateway</h1></body></html>")
  }

  static let dictionary = utf8(
    "<!doctype html>", "<html", "<script type=\"application/ld+json\">", "</script>", "<!--", "-->",
    "charset=", "&amp;", "&#x27;", "&nbsp;", "&#128;", "<p>", "<br/>", "<style>", "<title>",
    "<![CDATA[", #""@type":"Product""#, #""@graph":["#, #""hasVariant":["#)
}

/// The properties of every feed: each row is refused or is an entity whose stored text is read back
/// as the same entity.
enum FeedCheck {
  /// Byte order marks and blanks do not count.
  static func firstCharacter(_ bytes: [UInt8]) -> UInt8? {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return bytes[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  static func run(_ bytes: [UInt8]) {
    Cost.check(byteCount: bytes.count) { read(bytes) }
  }

  private static func read(_ bytes: [UInt8]) {
    file.replace(by: bytes)
    do {
      var reader = try FeedReader(path: file.path, options: FeedOptions(currency: "EUR"))
      while let row = try reader.next() {
        guard case .entity(let value, _) = row else { continue }
        let stored = try? JSONValue(stored: value.json.text)
        precondition(stored != nil, "the text of an entity cannot be read")
        precondition((try? EntityValue(json: stored!)) == value, "the text is of another entity")
      }
    } catch {
      // A feed that is refused as a whole.
    }
  }

  private static let file = ScratchFile()
}

/// A file without a name whose content is replaced again and again.
private final class ScratchFile: Sendable {
  private let descriptor: Int32
  var path: String { "/proc/self/fd/\(descriptor)" }

  init() {
    // `mkstemp` replaces the six letters at the end.
    var name = Array("\(NSTemporaryDirectory())vq-fuzz-XXXXXX".utf8CString)
    unsafe descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "cannot make a temporary file")
    unsafe unlink(name)
  }

  func replace(by bytes: [UInt8]) {
    precondition(ftruncate(descriptor, 0) == 0, "cannot empty a temporary file")
    // Sound: the array lends its bytes for the call.
    let written = unsafe bytes.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
    precondition(written == bytes.count, "cannot write a temporary file")
  }
}
