/// A declaration in a file of the color space of its pixels. Profiles are not copied here.
enum DeclaredColor: Sendable, Hashable {
  /// sRGB (PNG, 11.3.2.5).
  case standard
  /// An ICC profile, in parts of the file.
  case profile([Range<Int>])
  /// An ICC profile in a zlib stream (PNG, 11.3.2.3).
  case compressedProfile(Range<Int>)
  /// Code points of ITU-T H.273 (PNG, 11.3.2.6).
  case codePoints(CodePoints)
  /// The transfer function (PNG, 11.3.2.2) and the primaries (11.3.2.1), if there are any.
  case gamma(UInt32, RGBPrimaries?)
  /// A declaration that makes no sense.
  case unusable(name: String, reason: String)

  /// The number of bytes of memory that the conversion takes, besides the pixels.
  func byteCount(limits: DecodeLimits) -> Int {
    switch self {
    case .standard, .unusable: 0
    // The conversion uses tables of 256 and 16 385 numbers.
    case .codePoints, .gamma: 150_000
    case .profile(let parts): Self.conversionByteCount + 4 * parts.reduce(0) { $0 + $1.count }
    case .compressedProfile(let part):
      // A zlib stream inflates to at most 1032 times its size.
      Self.conversionByteCount + 4 * min(limits.profileByteLimit, 1032 * part.count)
    }
  }

  /// The tables of a conversion of four channels: 23⁴ colors of six bytes, and curves.
  private static let conversionByteCount = 4 << 20
}

/// Code points of ITU-T H.273, as in a PNG's cICP chunk.
struct CodePoints: Sendable, Hashable {
  let primaries, transfer, matrix, fullRange: UInt8

  /// The name in messages.
  var name: String { "cICP \(primaries)/\(transfer)/\(matrix)/\(fullRange)" }

  /// Returns the method of conversion to sRGB, or the reason why there is none.
  var conversion: Result<ColorConversion.Method, UnusableProfile> {
    let colors: RGBPrimaries
    switch primaries {
    case 1: colors = .sRGB
    case 5: colors = .bt601Of625
    case 6, 7: colors = .bt601Of525
    case 9: colors = .bt2020
    case 11: colors = .dciP3
    case 12: colors = .displayP3
    default:
      return .failure(UnusableProfile(name, "primaries \(primaries) are not supported"))
    }
    guard matrix == 0, fullRange == 1 else {
      return .failure(
        UnusableProfile(
          name, "matrix \(matrix) with range \(fullRange) is not supported; RGB has 0 and 1"))
    }
    let curve: TransferFunction
    switch transfer {
    case 1, 6, 14, 15: curve = .bt709
    case 4: curve = .power(2.2)
    case 5: curve = .power(2.8)
    case 8: curve = .power(1)
    case 13: curve = .sRGB
    case 16: return .success(.highDynamicRange(HighDynamicRange(.pq, from: colors)))
    case 18: return .success(.highDynamicRange(HighDynamicRange(.hlg, from: colors)))
    default:
      return .failure(UnusableProfile(name, "transfer function \(transfer) is not supported"))
    }
    // The primaries above were checked to span a color space, so this cannot fail.
    return .success(.matrix(RGBConversion(from: colors, decoding: curve.light)!))
  }
}

/// A color space that a file declares and that cannot be used.
struct UnusableProfile: Error, Sendable, Hashable {
  let name: String
  let reason: String

  init(_ name: String, _ reason: String) { (self.name, self.reason) = (name, reason) }
}
