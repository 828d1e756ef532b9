/// The layout of one pixel in memory.
public enum PixelFormat: String, Sendable, Hashable, CaseIterable {
  /// Four bytes a pixel: red, green, blue, alpha (not premultiplied).
  case rgba8
  /// Four bytes a pixel: blue, green, red, alpha (not premultiplied).
  case bgra8
  /// Three bytes a pixel: red, green, blue.
  case rgb8
  /// One byte a pixel.
  case gray8
  /// A full-size plane of Y in 16...235, then a half-size plane of interleaved Cb and Cr in 16...240.
  case nv12VideoRange
  /// A full-size plane of Y in 0...255, then a half-size plane of interleaved Cb and Cr in 0...255.
  case nv12FullRange
}
