#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import CServer
import VisualQuery

/// The frame of every report: one HTML file that needs no server and asks nobody for anything.
struct ReportPage {
  let title: String
  /// The index, the command's main options, and what was left out.
  var notes: [HTML] = []
  /// The images that the body draws.
  let pictures: ReportPictures
  let body: [HTML]

  private static let style = unsafe bytes(cs_report_css())
  private static let script = unsafe bytes(cs_report_js())

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func bytes(_ file: cs_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  /// The policy that lets nothing run or load but what is in the file: the style and the script by their
  /// hashes, and images from `data:` addresses.
  private static let policy = [
    "default-src 'none'", "img-src data:", "style-src \(source(style))",
    "script-src \(source(script))", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  private static func source(_ file: [UInt8]) -> String {
    "'sha256-\(Data(SHA256.hash(file)).base64EncodedString())'"
  }

  /// The document.
  var text: String {
    let head = HTML(
      "head",
      [
        HTML("meta", ["charset": "utf-8"]),
        HTML("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
        HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        HTML("meta", ["name": "color-scheme", "content": "light dark"]),
        HTML("meta", ["name": "referrer", "content": "no-referrer"]),
        HTML("title", [HTML(text: title)]), HTML("style", file: Self.style),
      ])
    let frame = HTML(
      "body",
      [
        HTML("a", ["class": "skip", "href": "#main"], ["Skip to the report"]),
        HTML(
          "header",
          [HTML("h1", [HTML(text: title)])] + notes.map { HTML("p", ["class": "soft"], [$0]) }
            + pictures.notes.map { HTML("p", ["class": "soft"], [$0]) }),
        pictures.store, HTML("main", ["id": "main"], body),
        HTML("footer", [HTML("p", ["Made by vq \(Version.current)."])]),
        HTML("script", file: Self.script),
      ])
    return "<!doctype html>\n" + HTML("html", ["lang": "en"], [head, frame]).markup + "\n"
  }
}
