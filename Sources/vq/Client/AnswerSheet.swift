#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch

/// A drawing (SVG 1.1) of what a person would see: the image with the outlines of what was found, beside the cards of the
/// answer, two in a row as on a phone. All images are part of it.
struct AnswerSheet {
  /// One question with its answer.
  struct Panel: Sendable {
    /// The heading above the image.
    let heading: String
    let image: PhoneImage?
    let labels: [String]
    let answer: ServedAnswer
    /// The images of the cards as JPEG files, as far as they could be loaded.
    let pictures: [String: [UInt8]]
  }

  /// The side of a card's image, in pixels.
  static let pictureSide = 344

  private static let (width, margin, sheetLeft, sheetWidth) = (900.0, 24.0, 496.0, 380.0)
  private static let (imageWidth, top, cardSide, cardHeight) = (448.0, 56.0, 166.0, 238.0)
  private static let (green, ink, soft) = ("#0b6b53", "#1b1c1a", "#5c5f58")

  /// The address of the service, for the title.
  let address: String
  let panels: [Panel]

  /// The document.
  var text: String {
    var parts: [HTML] = []
    var top = 0.0
    for panel in panels {
      let drawn = Self.panel(panel)
      parts.append(
        HTML("g", ["transform": "translate(0 \(ReportNumber.length(top)))"], drawn.parts))
      top += drawn.height
    }
    let (width, height) = (ReportNumber.length(Self.width), ReportNumber.length(top))
    return HTML(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink",
        "viewBox": "0 0 \(width) \(height)",
        "width": width, "height": height, "role": "img", "font-family": "system-ui, sans-serif",
      ],
      [
        HTML("title", [HTML(text: "The answer of \(address) to a phone")]),
        HTML("rect", ["width": width, "height": height, "rx": "16", "fill": "#e9eae5"]),
      ] + parts
    ).markup + "\n"
  }

  // MARK: A panel

  private static func panel(_ panel: Panel) -> (parts: [HTML], height: Double) {
    var parts = [
      line(panel.heading, margin, 36, size: 15, color: ink, columns: 56, weight: "600")
    ]
    var left = top
    if let image = panel.image {
      let height = min(imageWidth * Double(image.height) / Double(image.width), 720)
      parts += photo(image, panel.answer, height: height)
      left += height
    }
    if !panel.labels.isEmpty {
      let words = "labels: " + panel.labels.joined(separator: ", ")
      parts.append(line(words, margin, left + 28, size: 14, color: soft, columns: 60))
      left += 28
    }
    let sheet = self.sheet(panel)
    return (parts + sheet.parts, max(left, top + sheet.height) + margin)
  }

  /// The image with its outlines. A very tall one is fitted into its place.
  private static func photo(
    _ image: PhoneImage, _ answer: ServedAnswer, height: Double
  ) -> [HTML] {
    let width = height * Double(image.width) / Double(image.height)
    let left = margin + (imageWidth - width) / 2
    var parts = [picture(image.shown, left, top, width, height)]
    for value in answer.values {
      let corners = value.outline.map {
        (x: left + min(1, max(0, $0[0])) * width, y: top + min(1, max(0, $0[1])) * height)
      }
      guard let first = corners.first else { continue }
      let points = corners.map { "\(ReportNumber.length($0.x)),\(ReportNumber.length($0.y))" }
        .joined(separator: " ")
      for (color, stroke) in [("#fff", "6"), (green, "3")] {
        parts.append(
          HTML(
            "polygon",
            [
              "points": points, "fill": "none", "stroke": color, "stroke-width": stroke,
              "stroke-linejoin": "round",
            ]))
      }
      parts += badge("\(value.rank)", first.x, first.y)
    }
    return parts
  }

  // MARK: The sheet

  private static func sheet(_ panel: Panel) -> (parts: [HTML], height: Double) {
    let values = panel.answer.values
    let listed = panel.answer.listed
    let head = 62.0
    let valuesHeight = Double((values.count + 1) / 2) * cardHeight
    let listTop = top + head + valuesHeight + (values.isEmpty || listed.isEmpty ? 0 : listHead)
    let foot = panel.answer.hasMore ? 52.0 : 12.0
    let isEmpty = values.isEmpty && listed.isEmpty
    let height =
      isEmpty ? 190 : listTop - top + Double((listed.count + 1) / 2) * cardHeight + foot
    var parts = [
      box(sheetLeft, top, sheetWidth, height, corner: 28, fill: "#fbfbf9"),
      box(sheetLeft + sheetWidth / 2 - 20, top + 10, 40, 5, corner: 2.5, fill: "#c9cac4"),
      line(
        values.isEmpty && !listed.isEmpty ? UnsureText.title(listed.count) : title(values.count),
        sheetLeft + 16, top + 44, size: 20, color: ink, columns: 34, weight: "700"),
    ]
    if isEmpty { parts += empty(panel.answer) }
    if !values.isEmpty, !listed.isEmpty {
      parts.append(
        line(
          UnsureText.title(listed.count), sheetLeft + 16, listTop - 14, size: 16, color: ink,
          columns: 40,
          weight: "700"))
    }
    for (top, values, isSure) in [(top + head, values, true), (listTop, listed, false)] {
      for (index, value) in values.enumerated() {
        let x = sheetLeft + 16 + Double(index % 2) * (cardSide + 16)
        let y = top + Double(index / 2) * cardHeight
        let mark = isSure ? "\(value.rank)" : UnsureText.mark
        parts += card(value, panel.pictures[value.display.image ?? ""], mark, x, y)
      }
    }
    if panel.answer.hasMore, !values.isEmpty {
      parts.append(
        line(
          "More results", sheetLeft + sheetWidth / 2, top + height - 22, size: 16, color: green,
          columns: 20, weight: "600", anchor: "middle"))
    }
    return (parts, height)
  }

  /// The height of the line above what is possible beside sure results.
  private static let listHead = 40.0

  private static func title(_ count: Int) -> String {
    count == 0 ? "No results" : DisplayText.count(count, "result", "results")
  }

  /// The reason for no results, which a phone does not show.
  private static func empty(_ answer: ServedAnswer) -> [HTML] {
    let lines = ["Not shown on a phone:", answer.emptyReason ?? "no reason was given"]
    return lines.enumerated().map { index, words in
      line(words, sheetLeft + 16, top + 84 + 24 * Double(index), size: 14, color: soft, columns: 44)
    }
  }

  private static func card(
    _ value: ServedAnswer.Value, _ jpeg: [UInt8]?, _ mark: String, _ x: Double, _ y: Double
  ) -> [HTML] {
    var parts = [box(x, y, cardSide, cardSide, corner: 14, fill: "#eeefea")]
    if let jpeg, let size = try? ImageDecoder().header(of: jpeg) {
      let scale = (cardSide - 16) / Double(max(size.width, size.height, 1))
      let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
      parts.append(
        picture(jpeg, x + (cardSide - width) / 2, y + (cardSide - height) / 2, width, height))
    } else {
      parts.append(
        line(
          "no image", x + cardSide / 2, y + cardSide / 2, size: 14, color: soft, columns: 12,
          anchor: "middle"))
    }
    let remark = "\(DisplayText.confidence(value.confidence)) \(value.tier)"
    return parts + badge(mark, x + 18, y + 18) + [
      line(
        value.display.title, x + 2, y + cardSide + 20, size: 15, color: ink, columns: 19,
        weight: "600"),
      line(
        value.display.subtitle ?? "", x + 2, y + cardSide + 38, size: 13, color: soft, columns: 23),
      line(remark, x + 2, y + cardSide + 55, size: 12, color: green, columns: 25),
    ]
  }

  // MARK: Shapes

  private static func badge(_ mark: String, _ x: Double, _ y: Double) -> [HTML] {
    [
      HTML(
        "circle",
        [
          "cx": ReportNumber.length(x), "cy": ReportNumber.length(y), "r": "13", "fill": green,
          "stroke": "#fff", "stroke-width": "2",
        ]),
      line(
        mark, x, y + 5, size: 14, color: "#fff", columns: 4, weight: "700", anchor: "middle"),
    ]
  }

  private static func box(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, corner: Double, fill: String
  ) -> HTML {
    HTML(
      "rect",
      [
        "x": ReportNumber.length(x), "y": ReportNumber.length(y),
        "width": ReportNumber.length(width), "height": ReportNumber.length(height),
        "rx": ReportNumber.length(corner), "fill": fill,
      ])
  }

  private static func picture(
    _ jpeg: [UInt8], _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> HTML {
    // Older programs know only the name of XLink.
    HTML(
      "image",
      [
        "xlink:href": "data:image/jpeg;base64," + Data(jpeg).base64EncodedString(),
        "x": ReportNumber.length(x), "y": ReportNumber.length(y),
        "width": ReportNumber.length(width), "height": ReportNumber.length(height),
      ])
  }

  /// A line of text, cut to a number of columns, whose direction is its own.
  private static func line(
    _ words: String, _ x: Double, _ y: Double, size: Int, color: String, columns: Int,
    weight: String = "400", anchor: String = "start"
  ) -> HTML {
    // XML has no way to write these two.
    let allowed = String(
      String.UnicodeScalarView(
        DisplayText.escaped(words).unicodeScalars.map {
          ["\u{FFFE}", "\u{FFFF}"].contains($0) ? "\u{FFFD}" : $0
        }))
    return HTML(
      "text",
      [
        "x": ReportNumber.length(x), "y": ReportNumber.length(y), "font-size": "\(size)",
        "font-weight": weight, "fill": color, "text-anchor": anchor, "unicode-bidi": "plaintext",
      ], [HTML(text: DisplayText.truncated(allowed, to: columns))])
  }
}
