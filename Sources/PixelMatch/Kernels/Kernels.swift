internal import CKernels

/// The compiled loops behind signatures and scans, for one instruction set.
///
/// The extensions in this folder are the only callers of the C target `CKernels`. They take spans
/// and arrays, check every requirement of the C function, and trap if a buffer is too small, so
/// that no other file needs unsafe code to use a kernel. Every instruction set gives the same bits.
struct Kernels: Sendable, Hashable {
  private static let highestLevel = ck_kernel_level()

  /// The kernels for the best instruction set that this processor supports.
  static let native = Kernels(level: highestLevel)

  /// The instruction set, `CK_LEVEL_BASE` or higher.
  let level: UInt32

  /// Selects an instruction set.
  ///
  /// - Precondition: The processor supports it.
  init(level: UInt32) {
    precondition(level <= Self.highestLevel, "the processor has no instructions of level \(level)")
    self.level = level
  }
}
