import Foundation
import TestSupport
import Testing
import VisualQuery
@testable import vq

/// The HTML reports of `vq match`, `why-not`, `eval` and `doctor`.
@Suite struct ReportTests {
  /// Titles, ids, labels, links and file names that try to become markup.
  private static let hostile =
    #"<script>alert(1)</script>"><img src=x onerror='alert(2)'>&lt;\#u{202E}"#

  private static let shop = Result {
    let folder = try TemporaryDirectory()
    let name = #"x"><img src=y onerror=alert(3)>.jpg"#
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: SampleShop.image("mug-red.jpg"))))
    _ = try folder.write(bytes, to: name)
    let text = try String(
      decoding: JSONSerialization.data(withJSONObject: [
        "type": "product", "id": hostile, "title": hostile, "subtitle": hostile,
        "labels": [hostile], "images": [name], "url": "https://shop.example/?q=%22%3E<b>'",
      ]), as: UTF8.self)
    let kettle = try [UInt8](Data(contentsOf: URL(fileURLWithPath: SampleShop.image("kettle.jpg"))))
    _ = try folder.write(kettle, to: "kettle.jpg")
    let other = #"{"type":"product","id":"kettle","title":"Kettle","images":["kettle.jpg"]}"#
    let feed = try folder.write(text + "\n" + other + "\n", to: "feed.jsonl")
    let query = try String(
      decoding: JSONSerialization.data(withJSONObject: [
        "query": hostile, "image": name, "truth": ["kettle"], "edit": hostile,
      ]), as: UTF8.self)
    let right = #"{"query":"q2","image":"kettle.jpg","truth":["kettle"],"edit":"none"}"#
    let absent = #"{"query":"q3","image":"kettle.jpg","truth":[]}"#
    _ = try folder.write([query, right, absent].joined(separator: "\n"), to: "queries.jsonl")
    let run = try RunningVQ(["index", feed, "--index", folder.path + "/shop.vq"])
    #expect(run.status == 0, "\(run.errors)")
    return folder
  }

  struct Report: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32
    /// The texts that the page must show.
    let shows: [String]
    var testDescription: String { arguments[0] }
  }

  static let reports = [
    Report(
      arguments: ["match", "*.jpg"], status: 0,
      shows: ["class=\"outline\"", "class=\"pair\"", "log-odds", "class=\"rank\">1<"]),
    Report(
      // Marks of direction are no part of an id.
      arguments: ["why-not", "kettle.jpg", "--expect", hostile.filter { $0 != "\u{202E}" }],
      status: 0,
      shows: ["Expected: ", "confidence 0.", "Found: ", "class=\"evidence\" open"]),
    Report(
      arguments: ["eval", "queries.jsonl", "--quiet"], status: 0,
      shows: [
        "Recall by edit", "Reliability", "class=\"curve wrong\"", "Worst misses",
        "Wrong answers although nothing is right", "data-sort", "Expected: ", "Found: ",
      ]),
    Report(arguments: ["doctor"], status: 1, shows: ["noLink", "What to do", "All findings"]),
  ]

  private func page(_ report: Report) throws -> String {
    let folder = try Self.shop.get().path
    let output = try TemporaryDirectory()
    var arguments = report.arguments
    if let index = arguments.firstIndex(of: "*.jpg") {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      arguments.replaceSubrange(
        index...index, with: names.filter { $0.hasSuffix(".jpg") }.sorted())
    }
    let run = try RunningVQ(
      arguments + ["--index", "shop.vq", "--report", output.path + "/r.html"], directory: folder)
    #expect(run.status == report.status, "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["r.html"])
    return try String(contentsOfFile: output.path + "/r.html", encoding: .utf8)
  }

  /// Would break if a title, an id, an edit or a file name of a shop could run in its engineer's browser.
  @Test(arguments: reports)
  func `nothing from a catalogue becomes markup`(report: Report) throws {
    let page = try page(report)
    for text in report.shows { #expect(page.contains(text), "\(text) is missing") }
    #expect(page.components(separatedBy: "<script").count == 2)
    #expect(!page.contains("<img") && !page.contains("<b>") && !page.contains("\u{202E}"))
    let names = page.matches(of: /<([a-z][a-z0-9]*)[ >]/).map { String($0.1) }
    let known: Set = [
      "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "p",
      "svg", "symbol", "image", "main", "section", "ol", "li", "div", "span", "strong", "bdi",
      "use", "g", "polygon", "line", "circle", "rect", "path", "text", "details", "summary",
      "table",
      "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "dl", "dt", "dd", "figure",
      "figcaption", "label", "input", "select", "option", "button", "footer", "script",
    ]
    #expect(Set(names).subtracting(known).isEmpty)
    // A text instead of the element that was meant.
    #expect(page.firstMatch(of: />(td|th|tr|p|li)</) == nil)
  }

  /// Would break if a report asked a server for anything, or if its policy let it.
  @Test(arguments: reports)
  func `a report stands alone`(report: Report) throws {
    let page = try page(report)
    for address in page.matches(of: /\s(?:href|src)="([^"]*)"/) {
      let isOwn = address.1.hasPrefix("#") || address.1.hasPrefix("data:image/jpeg;base64,")
      #expect(isOwn || address.1.hasPrefix("https://shop.example/"), "\(address.1.prefix(60))")
    }
    #expect(page.contains("default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-"))
    #expect(!page.contains(" style=") && !page.contains(" onclick="))
    #expect(page.components(separatedBy: "</body>").count == 2)
  }

  @Test func `a page that cannot be written is said before the work`() throws {
    let folder = try Self.shop.get().path
    let run = try RunningVQ([
      "match", folder + "/kettle.jpg", "--index", folder + "/shop.vq", "--report",
      "/no/such/r.html",
    ])
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.errors == "vq: cannot write '/no/such/r.html.tmp': No such file or directory\n")
    let both = try RunningVQ([
      "eval", folder + "/queries.jsonl", "--index", folder + "/shop.vq", "--calibrate", "--report",
      folder + "/never.html",
    ])
    #expect(
      both.status == 2 && both.errors.contains("--report cannot be combined with --calibrate"))
  }

  /// Would break if a run that fails left half a file, or took the place of an earlier report.
  @Test func `a run that fails leaves the earlier report`() throws {
    let folder = try Self.shop.get().path
    let output = try TemporaryDirectory()
    let earlier = #"<!doctype html>\#n<html lang="en"><head><title>vq why-not</title>earlier"#
    let file = try output.write(earlier, to: "r.html")
    let run = try RunningVQ([
      "why-not", folder + "/feed.jsonl", "--expect", "kettle", "--index", folder + "/shop.vq",
      "--report", file,
    ])
    #expect(run.status == 4)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == earlier)
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["r.html"])
  }

  /// Would break if a finding about a shared image were drawn with another one of its entity.
  @Test func `the image that entities share is the one that is drawn`() throws {
    let folder = try TemporaryDirectory()
    for name in ["oats.jpg", "kettle.jpg"] { _ = try folder.copy(SampleShop.image(name), to: name) }
    let rows = [
      ("multi", #""oats.jpg","kettle.jpg""#), ("oats", #""oats.jpg""#),
      ("kettle", #""kettle.jpg""#),
    ].map { #"{"type":"product","id":"\#($0)","title":"T \#($0)","images":[\#($1)]}"# }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "f.jsonl")
    let index = ["--index", folder.path + "/i.vq"]
    #expect(try RunningVQ(["index", feed] + index).status == 0)
    let run = try RunningVQ(["doctor", "--report", folder.path + "/r.html"] + index)
    #expect(run.output.contains("product:kettle, product:multi have the same image\n"))
    #expect(run.output.contains("product:multi, product:oats have the same image\n"))
    let page = try String(contentsOfFile: folder.path + "/r.html", encoding: .utf8)
    let cards = page.components(separatedBy: "<li class=\"card\">").filter {
      $0.contains("has the same image as")
    }
    let drawn = cards.map { card in
      card.prefix(upTo: (card.range(of: "</li>") ?? card.endIndex..<card.endIndex).lowerBound)
        .matches(of: /href="#(picture-[0-9]+)"/).map { String($0.1) }
    }
    #expect(drawn.count == 2 && drawn.allSatisfy { $0.count == 2 && Set($0).count == 1 })
    #expect(Set(drawn.joined()).count == 2)
  }

  @Test(arguments: [
    ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"), ("plain", "plain"), ("é\u{7}", "é\\u{7}"), ("", ""),
  ])
  func `text is escaped`(text: String, markup: String) {
    #expect(HTML(text: text).markup == markup)
    #expect(
      HTML("p", ["class": text], ["\(text)"]).markup == "<p class=\"\(markup)\">\(markup)</p>")
  }

  @Test(arguments: [
    ("javascript:alert(1)", false), ("JaVaScRiPt:alert(1)", false), ("data:text/html,x", false),
    (" https://x", false), ("https://x.example/", true), ("HTTP://x.example/", true),
    ("https", false), ("//x.example", false), ("shop:mug", false),
  ])
  func `only addresses of the web are links`(url: String, isLink: Bool) {
    #expect(HTML.link(url).markup.hasPrefix("<a ") == isLink)
  }

  /// Would break if a report of a large catalogue grew without end.
  @Test func `pictures beyond the limit are counted`() throws {
    let jpeg = try [UInt8](Data(contentsOf: URL(fileURLWithPath: SampleShop.query("q01-mug.jpg"))))
    var pictures = ReportPictures(byteLimit: 2 * jpeg.count)
    let first = pictures.add(jpeg, name: "a")
    let again = pictures.add(jpeg, name: "b")
    #expect(first != nil && again == first)
    let other = try [UInt8](
      Data(contentsOf: URL(fileURLWithPath: SampleShop.query("q06-oats.jpg"))))
    let (third, none) = (pictures.add(other, name: "c"), pictures.add(nil, name: "d"))
    #expect(third == nil && none == nil)
    #expect(pictures.notes.map(\.markup).joined().contains("1 image left out"))
    #expect(pictures.notes.count == 2)
  }
}
