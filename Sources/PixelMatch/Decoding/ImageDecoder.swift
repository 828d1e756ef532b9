/// Decodes JPEG and PNG.
///
/// The header is read and checked against the limits on bounds-checked memory before a C library sees
/// the bytes. Rows are pulled a few at a time, and the full-size picture is in memory only if it is
/// asked for.
public struct ImageDecoder: Sendable {
  /// What a picture may cost.
  public let limits: DecodeLimits
  /// Whether a truncated picture is decoded as far as it goes, the rest white, and not refused.
  public let keepsTruncated: Bool
  /// Whether damage that still leaves all pixels is passed over, as browsers do, and not refused:
  /// wrong checksums in a PNG, and whatever libjpeg only warns of, such as an invalid code in the
  /// data of a JPEG, behind which it makes pixels up. ``DecodedPicture/damage`` tells of it.
  public let keepsDamaged: Bool

  /// Makes a decoder.
  public init(
    limits: DecodeLimits = .default, keepsTruncated: Bool = false, keepsDamaged: Bool = false
  ) {
    self.limits = limits
    self.keepsTruncated = keepsTruncated
    self.keepsDamaged = keepsDamaged
  }

  /// Reads what the header says.
  ///
  /// - Throws: ``DecodeError`` with any code but `cancelled` and `unreadable`.
  public func header(of bytes: [UInt8]) throws(DecodeError) -> ImageHeader {
    try ImageHeader(of: bytes, limits: limits)
  }

  /// Decodes a picture in full size, upright.
  ///
  /// - Parameters:
  ///   - bytes: The encoded picture.
  ///   - shouldStop: Asked between rows; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: [UInt8], shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PixelBuffer {
    try decode(bytes, longerSide: .max, shouldStop: shouldStop)
  }

  /// Decodes a picture to at most `limit` pixels along its longer side, upright.
  ///
  /// A JPEG is decoded at the least of 1/8, 1/4, 1/2 and 1/1 of its size that leaves three quarters
  /// of `limit`, which costs no more than its entropy decoding. Of an interlaced PNG, only the passes
  /// are read that leave `limit` pixels: 1, 3, 5 or 7 of them give every 8th, 4th, 2nd or every pixel.
  /// What is then still larger is averaged by area as its rows come.
  ///
  /// - Parameters:
  ///   - bytes: The encoded picture.
  ///   - limit: The longest side of the result in pixels, at least 1.
  ///   - shouldStop: Asked between rows; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: [UInt8], longerSide limit: Int, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PixelBuffer {
    try picture(bytes, longerSide: limit, shouldStop: shouldStop).pixels
  }

  /// Decodes a picture like ``decode(_:longerSide:shouldStop:)``, and tells of damage that was passed
  /// over.
  ///
  /// - Throws: ``DecodeError``.
  public func picture(
    _ bytes: [UInt8], longerSide limit: Int, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> DecodedPicture {
    precondition(limit >= 1, "a picture has at least one pixel")
    let header = try header(of: bytes)
    let denominator = Self.denominator(of: header, longerSide: limit)
    try limits.check(
      memory: DecodeMemory.byteCount(of: header, denominator: denominator), for: header)
    var damage: DecodeError?
    let pixels = try RowReader.withReader(
      of: bytes, format: header.format, denominator: denominator, limits: limits,
      keepsDamaged: keepsDamaged
    ) { (reader) throws(DecodeError) in
      let full = (width: reader.width, height: reader.height)
      let size = AreaReducer.size(of: full, longerSide: limit)
      if size == full {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * full.width * full.height)
        damage = try forEachRow(of: reader, header, shouldStop) { rows, range in
          pixels += rows[range]
        }
        return PixelBuffer(pixels: pixels, width: full.width, height: full.height)
      }
      var reducer = AreaReducer(
        sourceWidth: full.width, sourceHeight: full.height, width: size.width, height: size.height)
      damage = try forEachRow(of: reader, header, shouldStop) { rows, range in
        reducer.append(rows.span.extracting(range))
      }
      return reducer.finish()
    }
    return DecodedPicture(pixels: pixels.upright(from: header.orientation), damage: damage)
  }

  /// The fraction of its size that a picture is decoded at.
  private static func denominator(of header: ImageHeader, longerSide limit: Int) -> Int {
    let longer = max(header.width, header.height)
    switch header.format {
    case .jpeg:
      return limit > longer ? 1 : [8, 4, 2].first { longer / $0 >= limit - limit / 4 } ?? 1
    case .png:
      return header.isProgressive ? [8, 4, 2].first { (longer - 1) / $0 + 1 >= limit } ?? 1 : 1
    }
  }

  /// The memory that decoding takes together with its result, in bytes.
  package func byteCount(of header: ImageHeader, longerSide limit: Int) -> Int {
    let size = AreaReducer.size(of: (header.width, header.height), longerSide: limit)
    let denominator = Self.denominator(of: header, longerSide: limit)
    let copies = header.orientation == .up ? 1 : 2
    return DecodeMemory.byteCount(of: header, denominator: denominator)
      + copies * 4 * size.width * size.height
  }

  /// The cosine terms of the full-size pixels as they are stored, from which hashes follow that
  /// agree with other people's hash banks, whose tools do not turn pictures upright.
  ///
  /// Rows stream through: memory does not grow with the picture's height.
  ///
  /// - Throws: ``DecodeError``.
  public func pdqCoefficients(
    of bytes: [UInt8], shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PDQCoefficients {
    let header = try header(of: bytes)
    try limits.check(
      memory: DecodeMemory.byteCount(of: header, denominator: 1)
        + PDQHasher.byteCount(width: header.width, height: header.height), for: header)
    return try RowReader.withReader(
      of: bytes, format: header.format, denominator: 1, limits: limits, keepsDamaged: keepsDamaged
    ) { (reader) throws(DecodeError) in
      var hasher: PDQHasher? = PDQHasher(width: reader.width, height: reader.height)
      _ = try forEachRow(of: reader, header, shouldStop) { rows, range in
        hasher!.append(rgba: rows.span.extracting(range))
      }
      // Taken out, so that its rows are not copied to finish it.
      return hasher.take()!.finish()
    }
  }

  /// Lends each row as a range of a buffer that is written over for the next few.
  ///
  /// - Returns: The damage that was passed over.
  private func forEachRow(
    of reader: borrowing RowReader, _ header: ImageHeader, _ shouldStop: () -> Bool,
    _ body: (_ rows: [UInt8], _ range: Range<Int>) -> Void
  ) throws(DecodeError) -> DecodeError? {
    let name = header.format.name
    func checkForStop() throws(DecodeError) {
      if shouldStop() { throw DecodeError(code: .cancelled, message: "decoding was cancelled") }
    }
    var damage: DecodeError?
    preparing: while true {
      try checkForStop()
      switch reader.prepare() {
      case .done: break preparing
      case .more: continue
      case .failed(.truncated, let message) where keepsTruncated && header.format == .jpeg:
        damage = DecodeError(code: .truncated, message: "\(name) \(message)")
        break preparing
      case .failed(let code, let message):
        throw DecodeError(code: code, message: "\(name) \(message)")
      }
    }
    let rowBytes = 4 * reader.width
    var buffer = [UInt8](repeating: 255, count: rowBytes * max(1, Self.bufferByteCount / rowBytes))
    var finished = 0
    while finished < reader.height {
      try checkForStop()
      let (count, status) = reader.readRows(into: &buffer)
      for row in 0..<count { body(buffer, row * rowBytes..<(row + 1) * rowBytes) }
      finished += count
      guard case .failed(let code, let message) = status else { continue }
      let error = DecodeError(
        code: code,
        message: "\(name) \(message); \(finished) of \(reader.height) rows are there")
      guard code == .truncated && keepsTruncated else { throw error }
      damage = error
      let white = [UInt8](repeating: 255, count: rowBytes)
      while finished < reader.height {
        body(white, 0..<rowBytes)
        finished += 1
      }
    }
    return damage
      ?? reader.damage.map { DecodeError(code: .corrupt, message: "\(name) is damaged: \($0)") }
  }

  /// Rows read at once, in bytes: a few rows of a large picture, all of which fit the cache.
  private static let bufferByteCount = 1 << 16
}
