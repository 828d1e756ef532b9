internal import CMapping

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
/// A mapped file can be changed by other programs: its bytes are then others, or zero if the file became
/// shorter (``CMapping`` keeps the process from being ended by SIGBUS). Use ``change()`` after reading, and
/// discard the result if there is one.
///
/// `@unchecked Sendable`: nothing here writes the memory between the end of `init` and `deinit`, which runs
/// when no reference is left, and all stored properties are constants.
@safe final class MappedBytes: @unchecked Sendable {
  private let base: UnsafeRawPointer
  /// Number of bytes.
  let count: Int
  /// The mapped file, or `nil` for a copy of an array.
  private let file: MappedFile?

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
    guard let state = MappedFile.State(of: descriptor), state.byteCount > 0,
      let mapped = unsafe mmap(nil, state.byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0),
      unsafe mapped != MAP_FAILED
    else {
      let reason = systemMessage(errno)
      let isEmpty = MappedFile.State(of: descriptor)?.byteCount == 0
      close(descriptor)
      throw SegmentError(
        code: isEmpty ? .truncated : .unreadable, path: path,
        message: isEmpty ? "segment is empty" : "cannot map segment: \(reason)")
    }
    // Sound: the range is released in `deinit`, before the memory is unmapped.
    guard let range = unsafe cm_guard(mapped, state.byteCount, PROT_READ) else {
      unsafe munmap(mapped, state.byteCount)
      close(descriptor)
      throw SegmentError(
        code: .unreadable, path: path, message: "cannot guard segment: no memory is left")
    }
    unsafe base = UnsafeRawPointer(mapped)
    count = state.byteCount
    file = unsafe MappedFile(descriptor: descriptor, state: state, range: range)
  }

  /// Copies an array to memory that is aligned like a page.
  init(copying bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count, 1), alignment: 4096)
    unsafe copy.copyBytes(from: bytes)
    // Sound: a raw buffer of at least one byte has a base address.
    unsafe base = UnsafeRawPointer(copy.baseAddress!)
    count = bytes.count
    file = nil
  }

  deinit {
    let memory = unsafe UnsafeMutableRawPointer(mutating: base)
    guard let file else { return unsafe memory.deallocate() }
    // Sound: no reference is left, so that no thread reads the range; it leaves the guard before its
    // addresses can be another mapping's.
    unsafe cm_release(file.range)
    unsafe munmap(memory, count)
    close(file.descriptor)
  }

  /// Tells how the file was changed since it was mapped; `nil` if it was not.
  func change() -> MappedFileChange? {
    guard let file else { return nil }
    let now = MappedFile.State(of: file.descriptor)
    if let now, now == file.state { return unsafe cm_is_damaged(file.range) ? .lost : nil }
    return (now?.byteCount ?? 0) < count ? .truncated(to: now?.byteCount ?? 0) : .rewritten
  }

  /// Lends the integers that fill the bytes of `range`, which must lie within and begin at a multiple of
  /// the integers' size.
  func withSpan<Element: FixedWidthInteger & BitwiseCopyable, Result>(
    of range: Range<Int>, as type: Element.Type, _ body: (Span<Element>) -> Result
  ) -> Result {
    // Sound: the span ends with the call, and every pattern of bits is an integer.
    unsafe withBytes(range) { bytes in body(unsafe Span(_unsafeBytes: bytes)) }
  }

  /// Lends the bytes of `range`, which must lie within.
  private func withBytes<Result>(
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

/// The way a file was changed while it was mapped.
enum MappedFileChange: Sendable, Hashable {
  /// It has only this many bytes left.
  case truncated(to: Int)
  /// It was written to or has become longer.
  case rewritten
  /// It could not be read, and is as it was now.
  case lost
}

/// An open file that is mapped.
@safe private struct MappedFile {
  /// What tells that a file was written to.
  struct State: Equatable {
    let byteCount: Int
    /// Nanoseconds since 1970.
    let modified: Int

    /// `nil` if the system does not tell.
    init?(of descriptor: Int32) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      byteCount = Int(status.st_size)
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      modified = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
  }

  let descriptor: Int32
  let state: State
  let range: OpaquePointer
}
