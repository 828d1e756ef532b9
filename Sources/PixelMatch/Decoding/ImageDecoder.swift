/// Decodes JPEG and PNG, and WebP, AVIF, HEIC and GIF if their libraries are installed.
///
/// The libraries of JPEG and PNG are linked; libwebp, libheif and giflib are loaded when first needed.
/// ``ImageFormat/readable`` tells what can be decoded.
///
/// The header is read and checked against the limits on bounds-checked memory before a C library
/// sees the bytes. Rows of a JPEG or PNG are decoded a few at a time, and the full-size image is in
/// memory only if the caller asks for it; of the other formats, it is while it is decoded.
public struct ImageDecoder: Sendable {
  /// The limits on what decoding may cost.
  package let limits: DecodeLimits
  /// A Boolean value that indicates whether a truncated image is decoded as far as its data goes,
  /// with the rest white, instead of being rejected.
  package let keepsTruncated: Bool
  /// A Boolean value that indicates whether damage that leaves all pixels is skipped, as in
  /// browsers, instead of being rejected: wrong checksums in a PNG, and everything that libjpeg
  /// only warns of, for example an invalid code in the data of a JPEG, after which it makes up
  /// pixels. ``DecodedPicture/damage`` reports it.
  package let keepsDamaged: Bool
  /// The formats that are accepted. Those that strangers send should be few.
  package let formats: Set<ImageFormat>

  /// Makes a decoder.
  public init(
    limits: DecodeLimits = .default, keepsTruncated: Bool = false, keepsDamaged: Bool = false,
    formats: Set<ImageFormat> = ImageFormat.all
  ) {
    self.limits = limits
    self.formats = formats
    self.keepsTruncated = keepsTruncated
    self.keepsDamaged = keepsDamaged
  }

  /// Reads the header of an image.
  ///
  /// - Parameter shouldStop: A function that is called between parts of the file; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError`` with any code but `unreadable`.
  package func header(
    of bytes: [UInt8], shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> ImageHeader {
    try ImageHeader(of: bytes, limits: limits, accepting: formats, shouldStop)
  }

  /// Decodes an image at full size, upright, in sRGB.
  ///
  /// - Parameters:
  ///   - bytes: The encoded image.
  ///   - shouldStop: A function that is called between rows; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: [UInt8], shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PixelBuffer {
    try decode(bytes, longerSide: .max, shouldStop: shouldStop)
  }

  /// Decodes an image to at most `limit` pixels along its longer side, upright, in sRGB.
  ///
  /// A JPEG is decoded at the smallest of 1/8, 1/4, 1/2 and 1/1 of its size that leaves three
  /// quarters of `limit`; this costs no more than its entropy decoding. Of an interlaced PNG, only
  /// the passes that leave `limit` pixels are read: 1, 3, 5 or 7 passes give every 8th, 4th, 2nd or
  /// every pixel. libwebp scales a WebP to the smallest of these fractions that leaves `limit` pixels. If the result is still larger, its rows are averaged by area as they are decoded.
  /// The result is converted to sRGB from the color space that the file declares, if it is another;
  /// colors outside sRGB are clipped, and highlights of a high dynamic range are rolled off.
  ///
  /// - Parameters:
  ///   - bytes: The encoded image.
  ///   - limit: The length of the result's longer side in pixels, at most; at least 1.
  ///   - shouldStop: A function that is called between rows; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: [UInt8], longerSide limit: Int, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PixelBuffer {
    try picture(bytes, longerSide: limit, shouldStop: shouldStop).pixels
  }

  /// Decodes an image like ``decode(_:longerSide:shouldStop:)`` and reports skipped damage and the
  /// color space. If the first frame of an animation is blank, it is the first frame that is not.
  ///
  /// - Throws: ``DecodeError``.
  package func picture(
    _ bytes: [UInt8], longerSide limit: Int, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> DecodedPicture {
    precondition(limit >= 1, "an image has at least one pixel")
    let header = try header(of: bytes, shouldStop: shouldStop)
    let first = try picture(bytes, header, longerSide: limit, shouldStop)
    guard [.gif, .webp, .png].contains(header.format), try first.pixels.isBlank(shouldStop) else {
      return first
    }
    let frames = try LaterFrames(of: bytes, header.format, shouldStop: shouldStop)
    for number in frames.numbers {
      do throws(DecodeError) {
        guard let frame = try frames.file(number, shouldStop: shouldStop) else { continue }
        let own = try self.header(of: frame.bytes, shouldStop: shouldStop)
        let isWhole = (own.width, own.height) == (header.width, header.height)
        let later = try picture(
          frame.bytes, own, longerSide: isWhole ? limit : .max, shouldStop)
        if isWhole {
          if try later.pixels.isBlank(shouldStop) { continue }
          return later
        }
        guard (own.width, own.height) == (frame.box.width, frame.box.height),
          own.orientation == .up
        else { continue }
        try limits.check(memory: 12 * header.width * header.height, for: header)
        let whole = first.pixels.painted(
          with: later.pixels, at: frame.box, width: header.width, height: header.height)
        if try whole.isBlank(shouldStop) { continue }
        return DecodedPicture(
          pixels: whole.reduced(toLongerSide: limit), damage: later.damage, profile: later.profile)
      } catch {
        if error.code == .cancelled { throw error }
      }
    }
    return first
  }

  /// Decodes the image of a file, of an animation the first frame.
  private func picture(
    _ bytes: [UInt8], _ header: ImageHeader, longerSide limit: Int, _ shouldStop: () -> Bool
  ) throws(DecodeError) -> DecodedPicture {
    try header.format.checkLibrary(accepting: formats)
    let denominator = Self.denominator(of: header, longerSide: limit)
    try limits.check(
      memory: DecodeMemory.byteCount(of: header, denominator: denominator)
        + header.colors.reduce(0) { max($0, $1.byteCount(limits: limits)) }, for: header)
    let conversion = try ColorConversion(of: header, in: bytes, limits: limits)
    let missing: UInt8 = conversion.takesInks ? 0 : conversion.white
    var damage: DecodeError?
    var (pixels, width, height) = try RowReader.withReader(
      of: bytes, header, denominator: denominator, limits: limits,
      keepsDamaged: keepsDamaged, keepsInks: conversion.takesInks, white: conversion.white,
      shouldStop
    ) { (reader) throws(DecodeError) in
      let full = (width: reader.width, height: reader.height)
      let size = AreaReducer.size(of: full, longerSide: limit)
      if size == full {
        var pixels: [UInt8] = []
        let byteCount = 4 * full.width * full.height
        pixels.reserveCapacity(byteCount)
        damage = try readRows(of: reader, header, into: &pixels, shouldStop) { _ in }
        pixels.append(contentsOf: repeatElement(missing, count: byteCount - pixels.count))
        return (pixels, full.width, full.height)
      }
      var reducer = AreaReducer(
        sourceWidth: full.width, sourceHeight: full.height, width: size.width, height: size.height)
      damage = try forEachRow(of: reader, header, missing, shouldStop) { rows, range in
        reducer.append(rows.span.extracting(range))
      }
      return (reducer.finish().bytes, size.width, size.height)
    }
    // Converts after the reduction, which leaves at most a million pixels of most images.
    let profile = try conversion.convert(&pixels, shouldStop: shouldStop)
    let picture = PixelBuffer(pixels: pixels, width: width, height: height)
    guard let upright = picture.upright(from: header.orientation, shouldStop) else {
      throw .cancelled
    }
    return DecodedPicture(pixels: upright, damage: damage, profile: profile)
  }

  /// Returns the denominator of the fraction of its size at which an image is decoded.
  private static func denominator(of header: ImageHeader, longerSide limit: Int) -> Int {
    let longer = max(header.width, header.height)
    switch header.format {
    case .jpeg:
      return limit > longer ? 1 : [8, 4, 2].first { longer / $0 >= limit - limit / 4 } ?? 1
    case .png:
      return header.isProgressive ? [8, 4, 2].first { (longer - 1) / $0 + 1 >= limit } ?? 1 : 1
    case .webp: return [8, 4, 2].first { (longer - 1) / $0 + 1 >= limit } ?? 1
    case .avif, .heic, .gif: return 1
    }
  }

  /// Returns the number of bytes of memory that decoding takes, including its result.
  package func byteCount(of header: ImageHeader, longerSide limit: Int) -> Int {
    let size = AreaReducer.size(of: (header.width, header.height), longerSide: limit)
    let denominator = Self.denominator(of: header, longerSide: limit)
    let copies = header.orientation == .up ? 1 : 2
    return DecodeMemory.byteCount(of: header, denominator: denominator)
      + header.colors.reduce(0) { max($0, $1.byteCount(limits: limits)) }
      + copies * 4 * size.width * size.height
  }

  /// Returns the cosine terms of the full-size pixels as they are stored. Their hashes agree with
  /// those of other hash banks, whose tools ignore the orientation and the color space.
  ///
  /// Rows are streamed: memory does not grow with the height of the image.
  ///
  /// - Throws: ``DecodeError``.
  package func pdqCoefficients(
    of bytes: [UInt8], shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> PDQCoefficients {
    let header = try header(of: bytes, shouldStop: shouldStop)
    try header.format.checkLibrary(accepting: formats)
    try limits.check(
      memory: DecodeMemory.byteCount(of: header, denominator: 1)
        + PDQHasher.byteCount(width: header.width, height: header.height), for: header)
    return try RowReader.withReader(
      of: bytes, header, denominator: 1, limits: limits, keepsDamaged: keepsDamaged,
      keepsInks: false, shouldStop
    ) { (reader) throws(DecodeError) in
      var hasher: PDQHasher? = PDQHasher(width: reader.width, height: reader.height)
      _ = try forEachRow(of: reader, header, 255, shouldStop) { rows, range in
        hasher!.append(rgba: rows.span.extracting(range))
      }
      // Taken out of the optional, so that finishing does not copy its rows.
      return hasher.take()!.finish()
    }
  }

  /// Calls the body with each row, as a range of a buffer that is reused for the following rows.
  ///
  /// - Parameter missing: The bytes of the rows that a truncated image lacks.
  /// - Returns: The damage that was skipped.
  private func forEachRow(
    of reader: borrowing RowReader, _ header: ImageHeader, _ missing: UInt8,
    _ shouldStop: () -> Bool,
    _ body: (_ rows: [UInt8], _ range: Range<Int>) -> Void
  ) throws(DecodeError) -> DecodeError? {
    let rowBytes = 4 * reader.width
    var (finished, buffer) = (0, [UInt8]())
    let damage = try readRows(of: reader, header, into: &buffer, shouldStop) { rows in
      for start in stride(from: 0, to: rows.count, by: rowBytes) {
        body(rows, start..<start + rowBytes)
        finished += 1
      }
      rows.removeAll(keepingCapacity: true)
    }
    let absent = [UInt8](repeating: missing, count: finished < reader.height ? rowBytes : 0)
    for _ in finished..<reader.height { body(absent, 0..<rowBytes) }
    return damage
  }

  /// Appends the rows to a buffer, a few at a time; a truncated image lacks the last ones.
  ///
  /// - Parameter body: A function that is called after each of these times and may empty the buffer.
  /// - Returns: The damage that was skipped.
  private func readRows(
    of reader: borrowing RowReader, _ header: ImageHeader, into buffer: inout [UInt8],
    _ shouldStop: () -> Bool, _ body: (_ buffer: inout [UInt8]) -> Void
  ) throws(DecodeError) -> DecodeError? {
    let name = header.format.name
    func checkForStop() throws(DecodeError) {
      if shouldStop() { throw .cancelled }
    }
    var damage: DecodeError?
    preparing: while true {
      try checkForStop()
      switch reader.prepare() {
      case .done: break preparing
      case .more: continue
      case .failed(.truncated, let message) where keepsTruncated && header.keepsRowsOfPart:
        damage = DecodeError(code: .truncated, message: "\(name) \(message)")
        break preparing
      case .failed(let code, let message):
        throw DecodeError(code: code, message: "\(name) \(message)")
      }
    }
    // A row of a reduced image is made from several rows of the file, each of several times its width.
    let denominator = max(1, header.width / reader.width)
    let limit = max(1, Self.bufferByteCount / (4 * reader.width * denominator * denominator))
    var finished = 0
    while finished < reader.height {
      try checkForStop()
      let (count, status) = reader.readRows(
        appendingTo: &buffer, limit: min(limit, reader.height - finished))
      finished += count
      body(&buffer)
      guard case .failed(let code, let message) = status else { continue }
      let error = DecodeError(
        code: code,
        message: "\(name) \(message); \(finished) of \(reader.height) rows are there")
      guard code == .truncated && keepsTruncated else { throw error }
      damage = error
      break
    }
    return damage
      ?? reader.damage.map { DecodeError(code: .corrupt, message: "\(name) is damaged: \($0)") }
  }

  /// The number of bytes of the rows that are read at once: a few rows of a large image, which fit
  /// in the cache.
  private static let bufferByteCount = 1 << 16
}
