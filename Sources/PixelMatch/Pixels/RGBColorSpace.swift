/// The color space of the red, green and blue of an image.
public enum RGBColorSpace: String, Sendable, Hashable, CaseIterable {
  /// IEC 61966-2-1.
  case sRGB
  /// The primaries of SMPTE RP 431-2 with a white of D65 and the transfer function of sRGB: phone
  /// cameras and recent screens.
  case displayP3
}

extension RGBColorSpace {
  /// The conversion to sRGB, or `nil` for sRGB itself.
  var conversion: RGBConversion? {
    switch self {
    case .sRGB: nil
    case .displayP3: .displayP3
    }
  }
}
