/// The layout of one pixel in memory.
public enum PixelFormat: String, Sendable, Hashable, CaseIterable {
  /// Four bytes per pixel: red, green, blue, alpha (not premultiplied).
  case rgba8
  /// Four bytes per pixel: blue, green, red, alpha (not premultiplied).
  case bgra8
  /// Three bytes per pixel: red, green, blue.
  case rgb8
  /// One byte per pixel.
  case gray8
  /// A plane of Y in 16...235 with one byte per pixel, then a plane of Cb and Cr in 16...240, two
  /// bytes for each 2 × 2 pixels.
  case nv12VideoRange
  /// The same planes with Y, Cb and Cr in 0...255.
  case nv12FullRange

  /// The number of bytes of one pixel in a row of the first plane.
  var bytesPerPixel: Int {
    switch self {
    case .rgba8, .bgra8: 4
    case .rgb8: 3
    case .gray8, .nv12VideoRange, .nv12FullRange: 1
    }
  }

  /// A Boolean value that indicates whether a half-size plane of chroma follows the first plane.
  var hasChromaPlane: Bool { self == .nv12VideoRange || self == .nv12FullRange }
}

/// The matrix that converts Y, Cb and Cr to red, green and blue.
public enum YCbCrMatrix: String, Sendable, Hashable, CaseIterable {
  /// ITU-R BT.601: JPEG, and most camera stills.
  case bt601
  /// ITU-R BT.709: high-definition video.
  case bt709
}
