/// Decodes JPEG and PNG.
///
/// The header is read and held against the limits on bounds-checked memory before a C library sees
/// the bytes. Rows are pulled a few at a time, and the full-size picture stands in memory only
/// where it is asked for.
public struct ImageDecoder: Sendable {
  /// What a picture may cost.
  public let limits: DecodeLimits
  /// Whether a truncated picture is decoded as far as it goes, the rest white, and not refused.
  public let keepsTruncated: Bool

  /// Makes a decoder.
  public init(limits: DecodeLimits = .default, keepsTruncated: Bool = false) {
    self.limits = limits
    self.keepsTruncated = keepsTruncated
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
  /// of `limit`, which costs no more than its entropy decoding; what is then still larger is
  /// averaged by area as its rows come.
  ///
  /// - Parameters:
  ///   - bytes: The encoded picture.
  ///   - limit: The longest side of the result in pixels, at least 1.
  ///   - shouldStop: Asked between rows; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: [UInt8], longerSide limit: Int, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PixelBuffer {
    precondition(limit >= 1, "a picture has at least one pixel")
    let header = try header(of: bytes)
    let longer = max(header.width, header.height)
    let denominator =
      header.format == .png || limit > longer
      ? 1 : [8, 4, 2].first { longer / $0 >= limit - limit / 4 } ?? 1
    let picture = try RowReader.withReader(
      of: bytes, format: header.format, denominator: denominator, limits: limits
    ) { (reader) throws(DecodeError) in
      let full = (width: reader.width, height: reader.height)
      let size = AreaReducer.size(of: full, longerSide: limit)
      if size == full {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * full.width * full.height)
        try forEachRow(of: reader, header, shouldStop) { rows, range in pixels += rows[range] }
        return PixelBuffer(pixels: pixels, width: full.width, height: full.height)
      }
      var reducer = AreaReducer(
        sourceWidth: full.width, sourceHeight: full.height, width: size.width, height: size.height)
      try forEachRow(of: reader, header, shouldStop) { rows, range in
        reducer.append(rows.span.extracting(range))
      }
      return reducer.finish()
    }
    return picture.upright(from: header.orientation)
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
    return try RowReader.withReader(
      of: bytes, format: header.format, denominator: 1, limits: limits
    ) { (reader) throws(DecodeError) in
      var hasher = PDQHasher(width: reader.width, height: reader.height)
      try forEachRow(of: reader, header, shouldStop) { rows, range in
        hasher.append(rgba: rows.span.extracting(range))
      }
      return hasher.finish()
    }
  }

  /// Lends each row as a range of a buffer that is written over for the next few.
  private func forEachRow(
    of reader: borrowing RowReader, _ header: ImageHeader, _ shouldStop: () -> Bool,
    _ body: (_ rows: [UInt8], _ range: Range<Int>) -> Void
  ) throws(DecodeError) {
    func checkForStop() throws(DecodeError) {
      if shouldStop() { throw DecodeError(code: .cancelled, message: "decoding was cancelled") }
    }
    preparing: while true {
      try checkForStop()
      switch reader.prepare() {
      case .done: break preparing
      case .more: continue
      case .failed(.truncated, _) where keepsTruncated && header.format == .jpeg: break preparing
      case .failed(let code, let message):
        throw DecodeError(code: code, message: "\(header.format.name) \(message)")
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
      guard code == .truncated && keepsTruncated else {
        throw DecodeError(
          code: code,
          message:
            "\(header.format.name) \(message); \(finished) of \(reader.height) rows are there")
      }
      let white = [UInt8](repeating: 255, count: rowBytes)
      while finished < reader.height {
        body(white, 0..<rowBytes)
        finished += 1
      }
    }
  }

  /// Rows read at once, in bytes: a few rows of a large picture, all of which fit the cache.
  private static let bufferByteCount = 1 << 16
}
