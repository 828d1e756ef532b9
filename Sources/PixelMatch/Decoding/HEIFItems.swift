/// The items of an AVIF or HEIC: their sizes, references and locations (ISO/IEC 23008-12, 6 and 9;
/// ISO/IEC 14496-12, 8.11).
struct HEIFItems {
  /// The largest number of references between items; a grid refers to each of its tiles.
  private static let referenceLimit = 100_000
  /// The largest number of items; libheif has a limit of the same kind.
  private static let itemLimit = 20_000
  /// The largest number of images of which each is derived from the next.
  private static let depthLimit = 4
  /// The decoded pixels for each pixel that the limits allow. A grid of 2 × 2 tiles may crop all but a
  /// quarter of them.
  private static let decodedPixelsPerPixel = 4

  /// A width and a height in pixels.
  typealias Size = (width: Int, height: Int)

  private let boxes: MediaBoxes
  private let limits: DecodeLimits
  private let meta: Range<Int>
  /// All properties, which items refer to by index, from 1.
  private let properties: [MediaBoxes.Box]
  private let associations: [Int: [Int]]
  private let types: [Int: String]
  /// The items that an item is made of.
  private var parts: [Int: [Int]] = [:]
  /// The auxiliary images of an item, for example its alpha.
  private var auxiliaries: [Int: [Int]] = [:]
  /// The places of the types of references that the image does not need, if the file has a tone map.
  ///
  /// Photos of iOS 18 and later have an item for one, to which their gain map, metadata and thumbnail refer. Before 1.18, libheif knows no such
  /// item and takes references to it for damage (<https://github.com/strukturag/libheif/issues/1190>).
  private(set) var unneededReferences: [Int] = []
  /// The places of the items' data; read when first needed.
  private var locations: [Int: Range<Int>]?
  private var decodedPixels: [Int: Int] = [:]

  /// - Parameters:
  ///   - meta: The content of the box `meta`.
  ///   - types: The type of each item.
  init(
    _ boxes: MediaBoxes, meta: Range<Int>, types: [Int: String], limits: DecodeLimits
  ) throws(DecodeError) {
    (self.boxes, self.meta, self.types, self.limits) = (boxes, meta, types, limits)
    let described = try boxes.content(of: "iprp", in: meta)
    properties = try boxes.boxes(in: boxes.content(of: "ipco", in: described))
    associations = try Self.associations(in: boxes.content(of: "ipma", in: described), boxes)
    try readReferences()
  }

  /// Returns the properties of an item.
  func properties(of item: Int) -> [MediaBoxes.Box] {
    (associations[item] ?? []).compactMap { index in
      properties.indices.contains(index - 1) ? properties[index - 1] : nil
    }
  }

  /// Returns the size of an image, before it is turned or cropped; 0 × 0 if it has none.
  func size(of item: Int) throws(DecodeError) -> Size {
    guard let box = properties(of: item).last(where: { $0.type == "ispe" }) else { return (0, 0) }
    return try size(in: box)
  }

  /// The largest width and the largest height of the images in the file, except of those beyond the limits.
  var largestSize: Size {
    get throws(DecodeError) {
      var largest = (width: 0, height: 0)
      for box in properties where box.type == "ispe" {
        let size = try size(in: box)
        let grown = (max(largest.width, size.width), max(largest.height, size.height))
        if limits.allow(width: grown.0, height: grown.1) { largest = grown }
      }
      return largest
    }
  }

  private func size(in box: MediaBoxes.Box) throws(DecodeError) -> Size {
    let start = box.content.lowerBound
    return (
      try boxes.number(start + 4, 4, in: box.content),
      try boxes.number(start + 8, 4, in: box.content)
    )
  }

  // MARK: The work of decoding

  /// Checks the sizes of an image and of all that it is made of.
  ///
  /// - Throws: ``DecodeError`` with the code `tooManyPixels`, `tooMuchWork` or `corrupt`.
  mutating func checkWork(of item: Int) throws(DecodeError) {
    _ = try decodedPixels(of: item, depth: 0)
    try checkPresence(of: item)
  }

  /// Returns the number of pixels that are decoded for an image. Each use of a tile counts.
  private mutating func decodedPixels(of item: Int, depth: Int) throws(DecodeError) -> Int {
    if let known = decodedPixels[item] { return known }
    guard depth <= Self.depthLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: "\(boxes.name) has images of images deeper than \(Self.depthLimit) levels")
    }
    let size = try size(of: item)
    try limits.check(width: size.width, height: size.height)
    let parts = parts[item] ?? []
    try checkCanvas(of: item, size)
    var sum = parts.isEmpty ? size.width * size.height : 0
    let (product, isHuge) = limits.pixelLimit.multipliedReportingOverflow(
      by: Self.decodedPixelsPerPixel)
    let limit = isHuge ? Int.max : product
    for part in parts + (auxiliaries[item] ?? []) {
      sum += try decodedPixels(of: part, depth: depth + 1)
      guard sum <= limit else {
        throw DecodeError(
          code: .tooMuchWork,
          message: """
            \(boxes.name) is made of images of more than \(limit / 1_000_000) megapixels in all, which \
            is \(Self.decodedPixelsPerPixel) times the limit of an image
            """)
      }
    }
    decodedPixels[item] = sum
    return sum
  }

  /// Checks that the file has all data of an image and of those that it is made of. Newer versions of libheif leave
  /// out tiles that are missing.
  private mutating func checkPresence(of item: Int) throws(DecodeError) {
    for part in [item] + (parts[item] ?? []) {
      guard let location = try location(of: part), location.upperBound > boxes.bytes.count else {
        continue
      }
      throw DecodeError(
        code: .truncated,
        message: "\(boxes.name) is truncated: the bytes end before the image does")
    }
  }

  /// Returns the place of an item's data, which may lie beyond the end of the file, or `nil` if it is in parts or
  /// elsewhere.
  private mutating func location(of item: Int) throws(DecodeError) -> Range<Int>? {
    if locations == nil { locations = try allLocations() }
    return locations?[item]
  }

  /// Checks that a grid or an overlay has the size that its properties give: the size of its canvas, which
  /// libheif allocates, is in its data (ISO/IEC 23008-12, 6.6.2).
  private mutating func checkCanvas(of item: Int, _ size: Size) throws(DecodeError) {
    let isGrid = types[item] == "grid"
    guard isGrid || types[item] == "iovl" else { return }
    guard let data = try location(of: item)?.clamped(to: boxes.bytes.indices) else {
      throw DecodeError(
        code: .unsupportedFormat,
        message: "\(boxes.name) whose image is described in parts or elsewhere is not supported")
    }
    let numberBytes = try boxes.number(data.lowerBound + 1, 1, in: data) & 1 == 1 ? 4 : 2
    // The width and height of a grid follow its version, flags, rows and columns; those of an
    // overlay follow its version, flags and fill color.
    let place = data.lowerBound + (isGrid ? 4 : 10)
    let width = try boxes.number(place, numberBytes, in: data)
    let height = try boxes.number(place + numberBytes, numberBytes, in: data)
    guard (width, height) == size else {
      throw DecodeError(
        code: .corrupt,
        message: """
          \(boxes.name) is damaged: its canvas has \(width) × \(height) pixels, its properties say \
          \(size.width) × \(size.height)
          """)
    }
  }

  // MARK: Boxes

  /// Returns the indexes of the properties of each item, from 1 (ISO/IEC 23008-12, 9.3).
  private static func associations(
    in content: Range<Int>, _ boxes: MediaBoxes
  ) throws(DecodeError) -> [Int: [Int]] {
    let (version, flags, content) = try boxes.full(content)
    let count = try itemCount(boxes.number(content.lowerBound, 4, in: content), boxes)
    var place = content.lowerBound + 4
    let (idBytes, indexBytes) = (version < 1 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
    var found: [Int: [Int]] = [:]
    // The count is not trusted: each entry takes bytes, so the loop ends with the content at
    // the latest.
    for _ in 0..<count {
      let id = try boxes.number(place, idBytes, in: content)
      let associated = try boxes.number(place + idBytes, 1, in: content)
      place += idBytes + 1
      var indexes: [Int] = []
      for number in 0..<associated {
        // The highest bit says whether the property is essential.
        let value = try boxes.number(place + number * indexBytes, indexBytes, in: content)
        indexes.append(value & (indexBytes == 2 ? 0x7FFF : 0x7F))
      }
      if found[id] == nil { found[id] = indexes }
      place += associated * indexBytes
    }
    return found
  }

  /// Reads the references `dimg`, from an image to those that it is derived from, and `auxl`, from an
  /// auxiliary image to its image.
  private mutating func readReferences() throws(DecodeError) {
    guard let box = try boxes.boxes(in: meta, upTo: "iref").last, box.type == "iref" else { return }
    let (version, _, content) = try boxes.full(box.content)
    let idBytes = version == 0 ? 2 : 4
    var total = 0
    let hasToneMap = types.values.contains("tmap")
    for reference in try boxes.boxes(in: content) {
      let content = reference.content
      if hasToneMap, try !isNeeded(reference, idBytes: idBytes) {
        unneededReferences.append(try boxes.typePlace(of: reference))
      }
      guard ["dimg", "auxl"].contains(reference.type) else { continue }
      let from = try boxes.number(content.lowerBound, idBytes, in: content)
      let count = try boxes.number(content.lowerBound + idBytes, 2, in: content)
      total += count
      guard total <= Self.referenceLimit else {
        throw DecodeError(
          code: .tooMuchWork,
          message:
            "\(boxes.name) has more than \(Self.referenceLimit) references between its images")
      }
      for index in 0..<count {
        let to = try boxes.number(
          content.lowerBound + idBytes + 2 + index * idBytes, idBytes, in: content)
        if reference.type == "dimg" {
          parts[from, default: []].append(to)
        } else {
          auxiliaries[to, default: []].append(from)
        }
      }
    }
  }

  /// Returns whether the image needs a reference: it needs its parts and its alpha, but no metadata, thumbnail or gain map.
  private func isNeeded(_ reference: MediaBoxes.Box, idBytes: Int) throws(DecodeError) -> Bool {
    guard reference.type == "auxl" else { return !["cdsc", "thmb"].contains(reference.type) }
    let from = try boxes.number(reference.content.lowerBound, idBytes, in: reference.content)
    return properties(of: from).contains { box in
      box.type == "auxC"
        && Self.alphaNames.contains { boxes.isText($0, at: box.content.dropFirst(4)) }
    }
  }

  /// The names of auxiliary images that are an alpha channel, of HEVC and of all codecs.
  private static let alphaNames = [
    "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
  ]

  /// Returns the number of items of a box, within a limit that keeps tables of them small.
  private static func itemCount(_ count: Int, _ boxes: MediaBoxes) throws(DecodeError) -> Int {
    guard count <= itemLimit else {
      throw DecodeError(
        code: .tooMuchWork, message: "\(boxes.name) has more than \(itemLimit) images and metadata")
    }
    return count
  }

  /// Returns the place in the file of each item's data that is in one part (ISO/IEC 14496-12, 8.11.3).
  private func allLocations() throws(DecodeError) -> [Int: Range<Int>] {
    let (version, _, content) = try boxes.full(boxes.content(of: "iloc", in: meta))
    var place = content.lowerBound
    func next(_ byteCount: Int) throws(DecodeError) -> Int {
      defer { place += byteCount }
      guard byteCount > 4 else { return try boxes.number(place, byteCount, in: content) }
      // The number has eight bytes. In files below 4 GB the upper four are zero.
      let high = try boxes.number(place, byteCount - 4, in: content)
      let low = try boxes.number(place + byteCount - 4, 4, in: content)
      return high == 0 ? low : boxes.bytes.count
    }
    let sizes = try next(2)
    let (offsetBytes, lengthBytes) = (sizes >> 12, sizes >> 8 & 15)
    let (baseBytes, indexBytes) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
    let idBytes = version < 2 ? 2 : 4
    var found: [Int: Range<Int>] = [:]
    for _ in 0..<(try Self.itemCount(next(idBytes), boxes)) {
      let id = try next(idBytes)
      let method = version == 0 ? 0 : try next(2) & 15
      let isElsewhere = try next(2) != 0
      let base = try next(baseBytes)
      let extents = try next(2)
      guard extents == 1, !isElsewhere, method <= 1, found[id] == nil else {
        place += extents * (indexBytes + offsetBytes + lengthBytes)
        continue
      }
      _ = try next(indexBytes)
      let start = base + (try next(offsetBytes))
      let length = try next(lengthBytes)
      let whole = method == 0 ? 0..<boxes.bytes.count : try boxes.content(of: "idat", in: meta)
      let from = whole.lowerBound + start
      // A length of zero means the rest of the file.
      found[id] = from..<(length == 0 ? max(from, whole.upperBound) : from + length)
    }
    return found
  }
}
