public import Foundation

/// <https://developer.apple.com/documentation/corevideo/cvpixelbuffer>: not `Sendable`.
///
/// The stand-in holds an image file in place of pixels, so that a test can play the camera.
public final class CVPixelBuffer {
  /// Stand-in only: the file that stands for the pixels.
  public let file: Data
  /// Stand-in only: the width and height in pixels.
  public let size: (width: Int, height: Int)

  /// Stand-in only: makes a buffer.
  public init(file: Data, width: Int, height: Int) {
    self.file = file
    size = (width, height)
  }
}

/// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer>
public final class CVReadOnlyPixelBuffer: @unchecked Sendable {
  private let buffer: CVPixelBuffer

  /// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer/init(unsafebuffer:)>
  public init(unsafeBuffer: sending CVPixelBuffer) { buffer = unsafeBuffer }

  /// <https://developer.apple.com/documentation/corevideo/cvreadonlypixelbuffer/withunsafebuffer(_:)>
  ///
  /// The result of `body` is sent: a function whose result is not declared so may not be passed.
  public final func withUnsafeBuffer<R>(
    _ body: (CVPixelBuffer) throws -> sending R
  ) rethrows -> sending R {
    try body(buffer)
  }
}
