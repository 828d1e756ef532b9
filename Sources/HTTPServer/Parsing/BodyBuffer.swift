/// The part of a body that has come, in pieces.
///
/// One array would double as it grows, and hold twice the bytes that the budget of all bodies counts. Pieces are never
/// moved, and each has at most as much room as the bytes before it.
struct BodyBuffer: Sendable {
  /// The room of the first piece, and the most of any.
  static let pieceSizes = 16 << 10...1 << 20

  private var pieces: [[UInt8]] = []
  private(set) var count = 0
  /// The number of bytes for which the pieces have room.
  private(set) var capacity = 0

  /// Adds bytes.
  ///
  /// - Parameter rest: The most bytes that may come, these included.
  mutating func append(_ bytes: some Collection<UInt8>, of rest: Int) {
    var (bytes, rest) = (bytes[...], rest)
    while !bytes.isEmpty {
      if count == capacity { addPiece(for: rest) }
      let taken = bytes.prefix(capacity - count)
      pieces[pieces.count - 1].append(contentsOf: taken)
      count += taken.count
      rest -= taken.count
      bytes = bytes.dropFirst(taken.count)
    }
  }

  private mutating func addPiece(for rest: Int) {
    let sizes = Self.pieceSizes
    let size = min(rest, max(sizes.lowerBound, min(sizes.upperBound, capacity)))
    var piece: [UInt8] = []
    piece.reserveCapacity(size)
    pieces.append(piece)
    capacity += size
  }

  /// Returns all bytes in one array and forgets them.
  mutating func take() -> [UInt8] {
    var whole: [UInt8] = []
    if pieces.count == 1 {
      whole = pieces.removeLast()
    } else {
      whole.reserveCapacity(count)
      for index in pieces.indices {
        whole += pieces[index]
        pieces[index] = []
      }
    }
    self = BodyBuffer()
    return whole
  }
}
