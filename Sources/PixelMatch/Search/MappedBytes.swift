#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes that never change: a file mapped into memory, or a copy of an array.
///
/// The one place in the search that owns raw memory. Safe to use from anywhere: reads outside the
/// bytes trap.
///
/// `@unchecked Sendable`: the memory is read-only from the end of `init` to `deinit`, which runs
/// when no reference is left, and both stored properties are constants.
@safe final class MappedBytes: @unchecked Sendable {
  private let base: UnsafeRawPointer
  /// Number of bytes.
  let count: Int
  private let isMapping: Bool

  /// Maps a file. A file that is replaced by a rename or removed stays readable here.
  ///
  /// - Throws: ``SegmentError`` with the code `missing` or `unreadable`.
  init(path: String) throws(SegmentError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SegmentError(
        code: errno == ENOENT ? .missing : .unreadable, path: path,
        message: "cannot open segment: \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0,
      let mapped = unsafe mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      unsafe mapped != MAP_FAILED
    else {
      throw SegmentError(
        code: status.st_size == 0 ? .truncated : .unreadable, path: path,
        message: status.st_size == 0
          ? "segment is empty" : "cannot map segment: \(systemMessage(errno))")
    }
    unsafe base = UnsafeRawPointer(mapped)
    count = Int(status.st_size)
    isMapping = true
  }

  /// Copies an array to memory that is aligned like a page.
  init(copying bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count, 1), alignment: 4096)
    unsafe copy.copyBytes(from: bytes)
    // Sound: a raw buffer of at least one byte has a base address.
    unsafe base = UnsafeRawPointer(copy.baseAddress!)
    count = bytes.count
    isMapping = false
  }

  deinit {
    let memory = unsafe UnsafeMutableRawPointer(mutating: base)
    if isMapping { unsafe munmap(memory, count) } else { unsafe memory.deallocate() }
  }

  /// Lends the bytes of `range`, which must lie within.
  func withBytes<Result>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes outside the segment")
    return unsafe body(
      UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }

  /// A copy of the bytes of `range`, which must lie within.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    unsafe withBytes(range) { lent in unsafe Array(lent) }
  }

  /// The little-endian integer that starts at `offset`.
  func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    unsafe withBytes(offset..<offset + Number.bitWidth / 8) { lent in
      unsafe Number(littleEndian: lent.loadUnaligned(as: Number.self))
    }
  }
}
