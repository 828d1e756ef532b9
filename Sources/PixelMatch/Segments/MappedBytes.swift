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
/// This is the only type of the search that owns raw memory. It is safe to use from anywhere: reads
/// outside the bytes trap.
///
/// Other programs can change a mapped file. Reads then return the new bytes, or zeros if the file
/// became shorter (``CMapping`` protects the process from SIGBUS). Call ``change()`` after reading,
/// and discard the result if it is not `nil`.
///
/// `@unchecked Sendable`: no code writes the memory between the end of `init` and `deinit`, which
/// runs when no reference is left, and all stored properties are constants.
@safe final class MappedBytes: @unchecked Sendable {
  private let base: UnsafeRawPointer
  /// The number of bytes.
  let count: Int
  /// The mapped file, or `nil` for a copy of an array.
  private let file: MappedFile?

  /// Maps a file. A file that is removed or replaced by a rename stays readable here.
  ///
  /// - Throws: ``SegmentError`` with the code `missing`, `unreadable` or `exhausted`.
  init(path: String) throws(SegmentError) {
    let descriptor = unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SegmentError("open", path, errno) }
    guard let state = MappedFile.State(of: descriptor), state.byteCount > 0,
      let mapped = unsafe mmap(nil, state.byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0),
      unsafe mapped != MAP_FAILED
    else {
      let number = errno
      let isEmpty = MappedFile.State(of: descriptor)?.byteCount == 0
      close(descriptor)
      throw isEmpty
        ? SegmentError(code: .truncated, path: path, message: "segment is empty")
        : SegmentError("map", path, number)
    }
    // Sound: the range is released in `deinit`, before the memory is unmapped.
    guard let range = unsafe cm_guard(mapped, state.byteCount, PROT_READ) else {
      unsafe munmap(mapped, state.byteCount)
      close(descriptor)
      throw SegmentError("guard", path, ENOMEM)
    }
    unsafe base = UnsafeRawPointer(mapped)
    count = state.byteCount
    file = unsafe MappedFile(descriptor: descriptor, state: state, range: range)
  }

  /// Copies an array to page-aligned memory.
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
    // Sound: no reference is left, so no thread reads the range. It is released before its
    // addresses can belong to another mapping.
    unsafe cm_release(file.range)
    unsafe munmap(memory, count)
    close(file.descriptor)
  }

  /// The identity of the file, or `nil` for a copy of an array.
  var identity: MappedFileIdentity? { file?.state.identity }

  /// Returns how the file was changed since it was mapped, or `nil` if it was not.
  func change() -> MappedFileChange? {
    guard let file else { return nil }
    let now = MappedFile.State(of: file.descriptor)
    if let now, now == file.state { return unsafe cm_is_damaged(file.range) ? .lost : nil }
    return (now?.byteCount ?? 0) < count ? .truncated(to: now?.byteCount ?? 0) : .rewritten
  }

  /// Tells the system that single pages of a range are read, so that it reads none beside them.
  func expectSinglePages(_ range: Range<Int>) {
    advise(range, MADV_RANDOM)
  }

  /// The most bytes between two ranges that are read together: a storage that answers 80 000 requests
  /// or 1.5 GB a second takes about as long for these bytes as for another request.
  private static let joinedGap = 16 << 10

  /// Tells the system to read ranges ahead from storage, and does not wait for them. They are ordered by their place
  /// in the file, and joined if little lies between them.
  func beginReading(_ ranges: [Range<Int>]) {
    for range in Self.joined(ranges) { advise(range, MADV_WILLNEED) }
  }

  /// Returns the ranges in their order, those with little between them joined to one.
  static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound - last.upperBound <= joinedGap {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Gives back the memory of a range that was read. Its bytes stay in the system's cache of files, and are
  /// mapped again when they are read again.
  func releaseMemory(_ range: Range<Int>) {
    advise(range, MADV_DONTNEED)
  }

  /// Advice changes no byte, and a system that does not take it goes on as before.
  private func advise(_ range: Range<Int>, _ advice: Int32) {
    guard file != nil, let pages = pages(of: range) else { return }
    // Sound: the range lies within the mapping.
    unsafe madvise(
      UnsafeMutableRawPointer(mutating: base + pages.lowerBound), pages.count, advice)
  }

  /// Returns the range from the beginning of its first page, or `nil` if it is empty.
  private func pages(of range: Range<Int>) -> Range<Int>? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes outside the segment")
    return range.isEmpty ? nil : range.lowerBound & ~(Self.pageByteCount - 1)..<range.upperBound
  }

  private static let pageByteCount = Int(getpagesize())

  /// Returns whether most of 64 pages that are spread over a range are in memory; `true` if the
  /// system does not tell.
  func isResident(_ range: Range<Int>) -> Bool {
    let step = max(range.count / 64, 1)
    return isResident(Array(stride(from: range.lowerBound, to: range.upperBound, by: step)))
  }

  /// Returns whether most of the pages of some bytes, of at most 64 of them, are in memory; `true` if
  /// the system does not tell.
  func isResident(_ places: [Int]) -> Bool {
    #if os(Linux)
      guard file != nil, !places.isEmpty else { return true }
      let asked = stride(from: 0, to: places.count, by: (places.count + 63) / 64)
        .map { places[$0] }
      return 10 * asked.count(where: isMissing) <= asked.count
    #else
      return true
    #endif
  }

  #if os(Linux)
    private func isMissing(_ place: Int) -> Bool {
      precondition(place >= 0 && place < count, "a byte outside the segment")
      var state: UInt8 = 1
      // Sound: the page lies within the mapping, and has one byte of state.
      unsafe mincore(
        UnsafeMutableRawPointer(mutating: base + place & ~(Self.pageByteCount - 1)), 1, &state)
      return state & 1 == 0
    }
  #endif

  /// Lends the integers in the bytes of `range`, which must lie within the bytes and begin at a
  /// multiple of the integer size.
  func withSpan<Element: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
    of range: Range<Int>, as type: Element.Type,
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Sound: the span ends with the call, and every bit pattern is a valid integer.
    try unsafe withBytes(range) { bytes throws(Failure) in
      try body(unsafe Span(_unsafeBytes: bytes))
    }
  }

  /// Lends the bytes of `range`, which must lie within the bytes.
  private func withBytes<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes outside the segment")
    return try unsafe body(
      UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }

  /// Returns a copy of the bytes of `range`, which must lie within the bytes.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    unsafe withBytes(range) { lent in unsafe Array(lent) }
  }

  /// Returns the little-endian integer at `offset`.
  func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
    unsafe withBytes(offset..<offset + Number.bitWidth / 8) { lent in
      unsafe Number(littleEndian: lent.loadUnaligned(as: Number.self))
    }
  }
}

/// The identity of a file among all that exist at a time.
package struct MappedFileIdentity: Sendable, Hashable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
}

/// A change of a file while it was mapped.
enum MappedFileChange: Sendable, Hashable {
  /// The file has only this many bytes left.
  case truncated(to: Int)
  /// The file was written to or extended.
  case rewritten
  /// A part of the file was unreadable for a time; its size and modification time are unchanged.
  case lost
}

/// An open file that is mapped.
@safe private struct MappedFile {
  /// The properties that change when a file is written to.
  struct State: Equatable {
    /// The identity of the file.
    let identity: MappedFileIdentity
    let byteCount: Int
    /// Nanoseconds since 1970.
    let modified: Int

    /// Reads the state, or returns `nil` if the system does not report it.
    init?(of descriptor: Int32) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return nil }
      identity = MappedFileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
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
