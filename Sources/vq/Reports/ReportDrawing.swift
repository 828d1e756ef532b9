import VisualQuery

/// Drawings of images with what was found in them.
enum ReportDrawing {
  /// The height of a drawing, in units of its own.
  private static let height = 320.0
  private static let gap = 12.0
  /// The most keypoints that are drawn.
  private static let lineLimit = 60

  /// An outline, and the number that is drawn beside it.
  struct Outline {
    let number: Int?
    let corners: [[Double]]
  }

  /// Draws an image with some outlines.
  static func picture(_ picture: ReportPicture, _ outlines: [Outline], label: String) -> HTML {
    let width = picture.width(atHeight: height)
    return drawing(
      width: width, label: label,
      [use(picture, x: 0)] + outlines.map { outline($0, SIMD2(width, height)) })
  }

  /// Draws a query beside an image of the catalogue, with lines between the keypoints that agree.
  ///
  /// - Parameter words: The words that were read in the query, whose lines are drawn.
  static func pair(
    _ query: ReportPicture, _ image: ReportPicture, _ alignment: MatchAlignment?,
    words: [ReadWord], label: String
  ) -> HTML {
    let (left, right) = (query.width(atHeight: height), image.width(atHeight: height))
    var parts = [use(query, x: 0), use(image, x: left + gap)]
    parts += words.filter { $0.corners.count == 4 }.map { word in
      HTML(
        "polygon",
        [
          "class": word.agrees ? "own word" : "foreign word",
          "points": points(word.corners, SIMD2(left, height)),
        ], [HTML("title", [.name(word.text)])])
    }
    if let alignment {
      parts.append(outline(Outline(number: nil, corners: alignment.outline), SIMD2(left, height)))
      for pair in shown(alignment.keypoints) {
        let from = pair.query * SIMD2(left, height)
        let to = pair.image * SIMD2(right, height) + SIMD2(left + gap, 0)
        parts += [line(from, to), dot(from), dot(to)]
      }
    }
    return drawing(width: left + gap + right, label: label, parts)
  }

  /// Draws one image.
  static func thumbnail(_ picture: ReportPicture) -> HTML {
    drawing(
      width: picture.width(atHeight: height), label: picture.name, className: "thumbnail",
      [use(picture, x: 0)])
  }

  /// The sentence about the keypoints of a drawing.
  static func caption(_ alignment: MatchAlignment?) -> HTML {
    guard let alignment else { return "Too few keypoints agree to place it in the image." }
    let all = alignment.keypoints.count
    let part = all > lineLimit ? "; \(lineLimit) of \(all) pairs are drawn" : ""
    let mirrored = alignment.isMirrored ? ", mirrored" : ""
    return
      "\(DisplayText.count(alignment.inliers, "keypoint agrees", "keypoints agree"))\(mirrored)\(part)."
  }

  /// Returns as many pairs as are drawn, from all parts of the image.
  private static func shown(_ pairs: [MatchAlignment.KeypointPair]) -> [MatchAlignment.KeypointPair]
  {
    guard pairs.count > lineLimit else { return pairs }
    return (0..<lineLimit).map { pairs[$0 * pairs.count / lineLimit] }
  }

  private static func drawing(
    width: Double, label: String, className: String = "drawing", _ parts: [HTML]
  ) -> HTML {
    let length = ReportNumber.length
    return HTML(
      "svg",
      [
        "class": className, "role": "img", "aria-label": label,
        "viewBox": "0 0 \(length(width)) \(length(height))",
        "width": length(width), "height": length(height),
      ], parts)
  }

  private static func use(_ picture: ReportPicture, x: Double) -> HTML {
    HTML(
      "use",
      [
        "href": "#" + picture.id, "x": ReportNumber.length(x),
        "width": ReportNumber.length(picture.width(atHeight: height)),
        "height": ReportNumber.length(height),
      ])
  }

  private static func points(_ corners: [[Double]], _ scale: SIMD2<Double>) -> String {
    corners.map { SIMD2($0[0], $0[1]) * scale }
      .map { "\(ReportNumber.length($0.x)),\(ReportNumber.length($0.y))" }.joined(separator: " ")
  }

  private static func outline(_ outline: Outline, _ scale: SIMD2<Double>) -> HTML {
    let corners = outline.corners.map { SIMD2($0[0], $0[1]) * scale }
    let points = points(outline.corners, scale)
    var parts = [
      HTML("polygon", ["class": "halo", "points": points]),
      HTML("polygon", ["class": "outline", "points": points]),
    ]
    if let number = outline.number, let first = corners.first {
      let (x, y) = (max(14, first.x), max(14, first.y))
      parts.append(
        HTML(
          "circle",
          ["class": "badge", "cx": ReportNumber.length(x), "cy": ReportNumber.length(y), "r": "13"])
      )
      parts.append(
        HTML(
          "text",
          ["class": "number", "x": ReportNumber.length(x), "y": ReportNumber.length(y + 5)],
          ["\(number)"]))
    }
    return HTML("g", parts)
  }

  private static func line(_ from: SIMD2<Double>, _ to: SIMD2<Double>) -> HTML {
    HTML(
      "line",
      [
        "class": "pair", "x1": ReportNumber.length(from.x), "y1": ReportNumber.length(from.y),
        "x2": ReportNumber.length(to.x), "y2": ReportNumber.length(to.y),
      ])
  }

  private static func dot(_ place: SIMD2<Double>) -> HTML {
    HTML(
      "circle",
      [
        "class": "dot", "cx": ReportNumber.length(place.x), "cy": ReportNumber.length(place.y),
        "r": "2.5",
      ])
  }
}
