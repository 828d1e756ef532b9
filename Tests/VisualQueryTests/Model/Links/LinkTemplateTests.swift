import Testing
@testable import ShopModel
import VisualQuery

/// Vectors: RFC 6570, 1.2 (levels 1 to 3) and 3.2.
@Suite struct LinkTemplateTests {
  private static let values = [
    "var": "value", "hello": "Hello World!", "path": "/foo/bar", "x": "1024", "y": "768",
    "empty": "", "half": "50%", "who": "fred", "base": "http://example.com/home/", "v": "6",
    "dub": "me/too",
  ]

  @Test(arguments: [
    // Level 1.
    ("{var}", "value"), ("{hello}", "Hello%20World%21"),
    // Level 2.
    ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"), ("X{#var}", "X#value"),
    ("X{#hello}", "X#Hello%20World!"),
    // Level 3.
    ("map?{x,y}", "map?1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"), ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("X{.var}", "X.value"), ("X{.x,y}", "X.1024.768"), ("{/var}", "/value"),
    ("{/var,x}/here", "/value/1024/here"), ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"), ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    // 3.2: what is undefined is left out, and percent signs are kept only in triplets.
    ("O{empty}X", "OX"), ("O{undef}X", "OX"), ("{x,undef,y}", "1024,768"), ("{?undef}", ""),
    ("{half}", "50%25"), ("{+half}", "50%25"),
    ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
    ("{+base}index", "http://example.com/home/index"), ("{/who,dub}", "/fred/me%2Ftoo"),
    ("a b%20c", "a%20b%20c"), ("{var}é", "value%C3%A9"),
  ])
  func `expands as the RFC says`(template: String, link: String) throws {
    #expect(try LinkTemplate.unchecked(template).expanded { Self.values[$0] } == link)
  }

  @Test(arguments: ["{", "}", "{}", "{a-b}", "{a,}", "{a b}", "a{b}c}", "{!a}", "{a*}", "{a:3}"])
  func `what is no template of levels 1 to 3 is refused`(template: String) {
    #expect(throws: LinkError.self) { _ = try LinkTemplate("https://a.example/" + template) }
  }

  @Test(arguments: [
    ("{id}", LinkError.Code.invalidTemplate), ("{+url}/x", .invalidTemplate),
    ("javascript:alert(1)", .unsafeScheme), ("JavaScript:{id}", .unsafeScheme),
    ("data:text/html,{title}", .unsafeScheme), ("/p/{id}", .notAbsolute),
    ("http://shop.example/{id}", .schemeNotAllowed), ("shop://open/{id}", .schemeNotAllowed),
    ("https://{id}.example/", .invalidTemplate), ("https://{+id}", .invalidTemplate),
    ("https://shop.example/\u{0A}{id}", .invalidCharacters),
    ("https://user:word@shop.example/{id}", .namesUser), ("https://user@x/{id}", .namesUser),
    ("https:\\\\u@x/{id}", .notAbsolute), ("https:u:p@x/{id}", .notAbsolute),
    ("https:///u@x/{id}", .notAbsolute), ("https:/\\u@x/{id}", .notAbsolute),
  ])
  func `a template that could lead elsewhere is refused`(text: String, code: LinkError.Code) {
    #expect { _ = try LinkTemplate(text) } throws: { ($0 as? LinkError)?.code == code }
  }

  /// Would break if an entity were lost because a newer version accepts fewer links.
  @Test func `a stored link is read by fewer rules`() throws {
    for text in ["https:/shop.example/p", "https:u@x/"] {
      let row = #"{"type":"product","id":"a","title":"A","url":"\#(text)"}"#
      let json = try JSONValue(json: Array(row.utf8))
      #expect(try EntityValue(json: json).url == text)
    }
  }

  @Test func `a scheme that the shop allows is accepted, never one that runs code`() throws {
    let template = try LinkTemplate("shop://open/{type}/{id}", allowedSchemes: ["shop"])
    #expect(
      template.expanded { ["type": "product", "id": "a/b?c"][$0] }
        == "shop://open/product/a%2Fb%3Fc")
    #expect(throws: LinkError.self) {
      _ = try LinkTemplate("javascript:alert(1)", allowedSchemes: ["javascript"])
    }
  }

  /// A hostile id must stay one path segment of the shop's own host.
  @Test(arguments: ["../../evil", "//evil.example", "a#b", "a?b=c", "a b", "é", "\u{202E}x", "%2F"])
  func `values cannot leave their place`(id: String) throws {
    let link = try LinkTemplate("https://shop.example/p/{id}").expanded { _ in id }
    #expect(link.hasPrefix("https://shop.example/p/"))
    let rest = link.dropFirst("https://shop.example/p/".count)
    #expect(
      rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !rest.contains { "/?#".contains($0) })
  }

  /// Would break if entities without a field all had the same link, which opens none of them.
  @Test(arguments: [
    ("https://shop.example/p/{sku}", false), ("https://shop.example/p/{+sku}", false),
    ("https://shop.example/p/{sku,id}", true), ("https://shop.example/p/{id}{?sku}", true),
    ("https://shop.example/p/{id}{/sku}", true), ("https://shop.example/p/{id}{/empty}", true),
    ("https://shop.example/p/{empty}", false),
  ])
  func `an entity without a field of the path has no link`(text: String, hasLink: Bool) throws {
    let link = try LinkTemplate(text).link { ["id": "a", "empty": ""][$0] }
    #expect((link != nil) == hasLink, "\(link ?? "")")
  }

  /// Would break if a link of the shop opened no entity in the app, or another one.
  @Test(arguments: [
    "https://shop.example/p/{id}", "https://shop.example/p/{id}.html", "shop://open{?id}",
    "https://shop.example/p/{id}{?group}", "https://shop.example/x{/id}",
  ])
  func `the id of an expanded template is found again`(text: String) throws {
    let template = try LinkTemplate(text, allowedSchemes: ["shop"])
    for id in ["1", "mug-red", "a/b?c#d", "50%", "Größe 4", "x.y"] {
      let link = template.expanded { ["id": id, "group": "g"][$0] }
      let found = try #require(template.value(of: "id", in: link))
      // A literal after the id may be read as a part of it: the caller compares the expanded link.
      #expect(found.hasPrefix(id))
      if !text.contains(".html") { #expect(found == id) }
    }
    for link in [
      "", "https://shop.example", "https://other.example/p/1", "https://shop.example/q/%F",
    ] {
      #expect(template.value(of: "id", in: link) == nil)
    }
    #expect(template.value(of: "title", in: "https://shop.example/p/1") == nil)
  }
}
