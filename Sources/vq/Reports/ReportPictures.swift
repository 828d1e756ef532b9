#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// An image that a report can draw.
struct ReportPicture: Sendable, Hashable {
  /// The name within the page.
  let id: String
  let width: Int
  let height: Int
  /// The name for people who do not see it.
  let name: String

  /// The width if the height is `height`.
  func width(atHeight height: Double) -> Double {
    height * Double(width) / Double(max(1, self.height))
  }
}

/// The images of a report. Each is in the file once, as a JPEG, however often it is drawn; together they
/// stay within a limit of bytes.
struct ReportPictures: Sendable {
  /// The most bytes of all images, as they are in the file.
  static let byteLimit = 8_000_000
  /// The longer side of the images of queries, in pixels.
  static let querySide = 640

  private let byteLimit: Int
  private var byteCount = 0
  private var leftOut = 0
  private var missing = 0
  private var symbols: [HTML] = []
  private var known: [[UInt8]: ReportPicture] = [:]

  init(byteLimit: Int = Self.byteLimit) { self.byteLimit = byteLimit }

  /// Adds the file of an image, or counts it if there is none or no room for it.
  mutating func add(_ jpeg: [UInt8]?, name: String) -> ReportPicture? {
    guard let jpeg, let header = try? ImageDecoder().header(of: jpeg) else {
      missing += 1
      return nil
    }
    if let picture = known[jpeg] { return picture }
    let data = "data:image/jpeg;base64," + Data(jpeg).base64EncodedString()
    guard byteCount + data.utf8.count <= byteLimit else {
      leftOut += 1
      return nil
    }
    byteCount += data.utf8.count
    let picture = ReportPicture(
      id: "picture-\(symbols.count + 1)", width: header.width, height: header.height, name: name)
    known[jpeg] = picture
    let (width, height) = ("\(picture.width)", "\(picture.height)")
    symbols.append(
      HTML(
        "symbol", ["id": picture.id, "viewBox": "0 0 \(width) \(height)"],
        [HTML("image", ["href": data, "width": width, "height": height])]))
    return picture
  }

  /// The element that holds all images and shows none.
  var store: HTML {
    HTML("svg", ["class": "store", "width": "0", "height": "0", "aria-hidden": "true"], symbols)
  }

  /// The sentences about the images that the report lacks.
  var notes: [HTML] {
    var notes: [HTML] = []
    if leftOut > 0 {
      notes.append(
        "\(DisplayText.count(leftOut, "image", "images")) left out: a report holds up to \(byteLimit / 1_000_000) MB of images."
      )
    }
    if missing > 0 {
      notes.append(
        "\(DisplayText.count(missing, "image", "images")) of the catalogue cannot be read now and are missing here."
      )
    }
    return notes
  }
}

/// Entities and their images for a report.
struct ReportSource: Sendable {
  let catalogue: Catalogue
  let pool: WorkerPool

  /// Returns the entities of some ids that the index has.
  func entities(_ ids: [EntityID]) async throws -> [EntityID: EntityValue] {
    let values = try await EntityLookup(catalogue: catalogue, pool: pool).entities(for: ids)
    return Dictionary(values.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Returns a reduced image of an entity, or `nil` if it cannot be read.
  func picture(of id: EntityID, at position: Int) async throws -> [UInt8]? {
    do {
      return try await EntityThumbnails(catalogue: catalogue, pool: pool)
        .jpeg(of: id, image: position, size: .large)
    } catch is DecodeError {
      return nil
    }
  }

  /// Returns the image of a query as a report shows it.
  static func reduced(_ pixels: PixelBuffer) throws(DecodeError) -> [UInt8] {
    try ImageDecoder().jpeg(of: pixels, longerSide: ReportPictures.querySide, quality: 80)
  }
}
