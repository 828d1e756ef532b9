@testable import PixelMatch

extension Kernels {
  /// The kernels for every instruction set of this processor, the simplest first.
  static let supported = (0...Kernels.native.level).map { Kernels(level: $0) }
}
