/// The conversion of a file's pixels to sRGB, as the file declares it.
struct ColorConversion: Sendable {
  /// The way to convert.
  enum Method: Sendable {
    case none
    case matrix(RGBConversion)
    case highDynamicRange(HighDynamicRange)
    case profile(ICCProfile)
  }

  private let method: Method
  /// The name of the declaration that is used, or the reason why none is; `nil` for sRGB.
  private let profile: PictureProfile?

  private init(_ method: Method, _ profile: PictureProfile?) {
    (self.method, self.profile) = (method, profile)
  }

  /// Chooses the first declaration that can be used. Nothing is converted if that is sRGB, or if
  /// there is none.
  ///
  /// - Throws: ``DecodeError`` with the code `tooMuchWork` if a profile exceeds its limit.
  init(of header: ImageHeader, in bytes: [UInt8], limits: DecodeLimits) throws(DecodeError) {
    var ignored: PictureProfile?
    for declared in header.colors {
      let profile = try Self.profileBytes(declared, in: bytes, limits)
      do throws(UnusableProfile) {
        self = try Self.conversion(declared, header, profile)
        return
      } catch {
        ignored = ignored ?? PictureProfile(name: error.name, reasonIgnored: error.reason)
      }
    }
    self.init(.none, ignored)
  }

  /// A Boolean value that indicates whether the decoder returns inks, for `convert` to convert.
  var takesInks: Bool {
    if case .profile(let profile) = method { profile.channels == .cmyk } else { false }
  }

  /// The value of a channel of white, with which transparent pixels are blended.
  var white: UInt8 {
    if case .highDynamicRange(let range) = method { range.white } else { 255 }
  }

  /// The number of pixels that are converted between two calls of `shouldStop`, in about a
  /// millisecond.
  private static let pixelsPerStep = 1 << 16

  /// Converts pixels of four bytes in place to RGBA.
  ///
  /// - Returns: The color profile and whether it was used, or `nil` if the pixels are sRGB as they are.
  /// - Throws: ``DecodeError`` with the code `cancelled`.
  func convert(
    _ pixels: inout [UInt8], shouldStop: () -> Bool
  ) throws(DecodeError) -> PictureProfile? {
    switch method {
    case .none: return profile
    case .matrix(let conversion):
      try Self.forEachStep(of: pixels.count / 4, shouldStop) { range in
        conversion.convert(&pixels, range)
      }
      return profile
    case .highDynamicRange(let range):
      var peak = 0
      try Self.forEachStep(of: pixels.count / 4, shouldStop) {
        peak = range.peak(of: pixels, $0, peak)
      }
      try Self.forEachStep(of: pixels.count / 4, shouldStop) { step in
        range.convert(&pixels, step, peak: peak)
      }
      return profile
    case .profile(let icc):
      // Checked first, because opening a conversion of four channels computes a table for
      // tens of milliseconds.
      try Self.check(shouldStop)
      let reason: String? = try ProfileConversion.withConversion(by: icc) {
        (conversion) throws(DecodeError) in
        try Self.forEachStep(of: pixels.count / 4, shouldStop) { range in
          conversion.convert(&pixels, range)
        }
      }
      guard let reason else { return profile }
      if takesInks { Self.mixInks(&pixels) }
      return PictureProfile(name: icc.name, reasonIgnored: reason)
    }
  }

  private static func check(_ shouldStop: () -> Bool) throws(DecodeError) {
    if shouldStop() { throw .cancelled }
  }

  private static func forEachStep(
    of count: Int, _ shouldStop: () -> Bool, _ body: (Range<Int>) -> Void
  ) throws(DecodeError) {
    for start in stride(from: 0, to: count, by: pixelsPerStep) {
      try check(shouldStop)
      body(start..<min(count, start + pixelsPerStep))
    }
    try check(shouldStop)
  }

  /// Converts inks to RGBA without a profile, by the same formula as the decoder.
  private static func mixInks(_ pixels: inout [UInt8]) {
    for place in stride(from: 0, to: pixels.count, by: 4) {
      let light = 255 - Int(pixels[place + 3])
      for channel in 0..<3 {
        let product = (255 - Int(pixels[place + channel])) * light
        pixels[place + channel] = UInt8((product + 127) / 255)
      }
      pixels[place + 3] = 255
    }
  }

  /// Returns the profile of a declaration, or nothing if it has none.
  private static func profileBytes(
    _ declared: DeclaredColor, in bytes: [UInt8], _ limits: DecodeLimits
  ) throws(DecodeError) -> Result<[UInt8], UnusableProfile> {
    switch declared {
    case .profile(let parts): return .success(parts.flatMap { bytes[$0] })
    case .compressedProfile(let part): return try inflated(bytes[part], limits)
    default: return .success([])
    }
  }

  /// Decompresses a profile. Its header, which is decompressed first, tells its size. If more follows, the limit holds for
  /// all of it.
  private static func inflated(
    _ stream: ArraySlice<UInt8>, _ limits: DecodeLimits
  ) throws(DecodeError) -> Result<[UInt8], UnusableProfile> {
    let start = ProfileConversion.inflated(stream, byteCount: 132)
    guard start.count == 132 else {
      return .failure(UnusableProfile(ICCProfile.unnamed, "its zlib stream is damaged"))
    }
    let count = ICCTables(start).number(0)
    try limits.check(profileByteCount: count, of: .png)
    let size = max(132, count)
    let profile = ProfileConversion.inflated(stream, byteCount: size + 1)
    if profile.count <= size { return .success(profile) }
    let all = ProfileConversion.inflated(stream, byteCount: max(limits.profileByteLimit, size) + 1)
    try limits.check(profileByteCount: all.count, orMore: true, of: .png)
    return .success(Array(profile[..<size]))
  }

  private static func conversion(
    _ declared: DeclaredColor, _ header: ImageHeader, _ bytes: Result<[UInt8], UnusableProfile>
  ) throws(UnusableProfile) -> ColorConversion {
    switch declared {
    case .standard: return ColorConversion(.none, nil)
    case .unusable(let name, let reason): throw UnusableProfile(name, reason)
    case .codePoints(let points):
      switch try points.conversion.get() {
      case .matrix(let conversion): return ColorConversion(conversion, named: points.name)
      case let method:
        return ColorConversion(method, PictureProfile(name: points.name, reasonIgnored: nil))
      }
    case .gamma(let gamma, let primaries):
      return try Self.conversion(gamma, primaries)
    case .profile, .compressedProfile:
      let profile = try ICCProfile(bytes.get())
      // An RGB profile also defines grays, so it fits a grayscale image.
      let isGray = header.componentCount == 1
      guard profile.channels.rawValue == header.componentCount || isGray && profile.channels == .rgb
      else {
        throw UnusableProfile(
          profile.name,
          "it is for \(profile.channels), and the image has \(header.componentCount) components")
      }
      if profile.isStandard { return ColorConversion(.none, nil) }
      return ColorConversion(
        profile.conversion.map(Method.matrix) ?? .profile(profile),
        PictureProfile(name: profile.name, reasonIgnored: nil))
    }
  }

  /// The gamma of a PNG is the exponent that the pixels were encoded with, in 100 000ths. With the
  /// primaries of sRGB, 45 455 stands for sRGB's own transfer function.
  private static func conversion(
    _ gamma: UInt32, _ primaries: RGBPrimaries?
  ) throws(UnusableProfile) -> ColorConversion {
    let exponent = 100_000 / Double(max(1, gamma))
    let name = "gAMA \((exponent * 100).rounded() / 100)\(primaries == nil ? "" : " with cHRM")"
    guard (10_000...1_000_000).contains(gamma) else {
      throw UnusableProfile("gAMA", "its value \(gamma) is not a gamma")
    }
    let isStandard = abs(Int(gamma) - 45_455) <= 500
    let curve = TransferFunction.power(exponent)
    let colors = primaries ?? .sRGB
    if isStandard, colors.isNearly(.sRGB) { return ColorConversion(.none, nil) }
    guard let conversion = RGBConversion(from: colors, decoding: curve.light) else {
      throw UnusableProfile(name, "its primaries do not span a color space")
    }
    return ColorConversion(conversion, named: name)
  }

  private init(_ conversion: RGBConversion, named name: String) {
    if conversion.isIdentity(tolerance: 1) {
      self.init(.none, nil)
    } else {
      self.init(.matrix(conversion), PictureProfile(name: name, reasonIgnored: nil))
    }
  }
}

extension DecodeLimits {
  /// - Parameter orMore: True if the profile was not read beyond these bytes.
  func check(
    profileByteCount: Int, orMore: Bool = false, of format: ImageFormat
  ) throws(DecodeError) {
    guard profileByteCount <= profileByteLimit else {
      throw DecodeError(
        code: .tooMuchWork,
        message: """
          \(format.name) has a color profile of \(profileByteCount) bytes\(orMore ? " or more" : ""); the limit is \
          \(profileByteLimit)
          """)
    }
  }
}
