#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// The frame of every report: one HTML file that needs no server and asks nobody for anything.
struct ReportPage {
  let title: String
  /// The index, the command's main options, and what was left out.
  var notes: [HTML] = []
  /// The images that the body draws.
  let pictures: ReportPictures
  let body: [HTML]

  /// The policy that lets nothing run or load but what is in the file: the style and the script by their
  /// hashes, and images from `data:` addresses.
  private static let policy = [
    "default-src 'none'", "img-src data:",
    "style-src \(source(ProgramData.reportStyle))",
    "script-src \(source(ProgramData.reportScript))", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  /// The beginning of every report, and of its title.
  private static let (opening, titleOpening) = (
    "<!doctype html>\n<html lang=\"en\"><head>", "<title>vq "
  )

  /// Returns whether bytes are the beginning of a report, of this or an earlier version.
  ///
  /// - Parameter bytes: The first ``startLength`` bytes of a file, or all of a shorter one.
  static func isReport(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasPrefix(opening) && text.contains(titleOpening)
  }

  /// The number of bytes in which the title of a report begins.
  static let startLength = 4096

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
        HTML("title", [HTML(text: title)]), HTML("style", file: ProgramData.reportStyle),
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
        HTML("script", file: ProgramData.reportScript),
      ])
    return "<!doctype html>\n" + HTML("html", ["lang": "en"], [head, frame]).markup + "\n"
  }
}
