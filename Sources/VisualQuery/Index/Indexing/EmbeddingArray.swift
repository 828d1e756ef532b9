internal import PixelMatch

/// A two-dimensional array of a NumPy file (`.npy`), each row of which is the vector of an image.
///
/// Little-endian numbers of two, four or eight bytes (`float16`, `float32`, `float64`), in versions 1 to 3 of the format. Rows are read
/// one at a time: the file may be larger than memory.
///
/// Source: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
final class EmbeddingArray: Sendable {
  /// The reason why a file or a row of it cannot be used.
  struct Failure: Error, Hashable {
    let reason: String
  }

  /// The number of vectors.
  let count: Int
  /// The number of numbers of a vector.
  let dimensions: Int

  private let file: OpenFile
  private let numberType: NPYHeader.NumberType
  private let start: Int

  /// Reads the header of an open file.
  init(_ file: consuming OpenFile) throws(Failure) {
    let header = try NPYHeader(of: file)
    guard header.shape.count == 2 else {
      throw Failure(
        reason: "has \(header.shape.count) dimensions; expected 2, a row for each image")
    }
    (count, dimensions) = (header.shape[0], header.shape[1])
    guard ImageEmbedding.dimensions.contains(dimensions) else {
      throw Failure(
        reason:
          "has rows of \(dimensions) numbers; expected \(ImageEmbedding.dimensions.lowerBound) to "
          + "\(ImageEmbedding.dimensions.upperBound)")
    }
    let rowSize = dimensions * header.numberType.byteCount
    let room = (file.status.byteCount - header.byteCount) / rowSize
    guard room >= count else {
      throw Failure(reason: "is cut off: it has \(room) of \(count) rows")
    }
    numberType = header.numberType
    start = header.byteCount
    self.file = file
  }

  /// Returns the numbers of a row.
  ///
  /// - Complexity: O(*n*) for *n* dimensions; one `pread`.
  func vector(at row: Int) throws(Failure) -> [Float] {
    guard (0..<count).contains(row) else {
      throw Failure(reason: "has no row \(row); it has \(count), the first of which is row 0")
    }
    let size = numberType.byteCount
    let first = start + row * dimensions * size
    let bytes = try file.bytes(in: first..<first + dimensions * size)
    return stride(from: 0, to: bytes.count, by: size).map { position in
      numberType.number(
        of: bytes[position..<position + size].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

extension OpenFile {
  /// Returns bytes of the file.
  fileprivate func bytes(in range: Range<Int>) throws(EmbeddingArray.Failure) -> [UInt8] {
    guard let bytes = FileBytes.read(range, of: descriptor), bytes.count == range.count else {
      throw EmbeddingArray.Failure(reason: "cannot be read")
    }
    return bytes
  }
}

/// The header of a NumPy file: `{'descr': '<f2', 'fortran_order': False, 'shape': (3, 1280), }`.
private struct NPYHeader {
  /// The numbers that an array may have.
  enum NumberType: String, CaseIterable {
    case half = "<f2"
    case single = "<f4"
    case double = "<f8"

    var byteCount: Int {
      switch self {
      case .half: 2
      case .single: 4
      case .double: 8
      }
    }

    func number(of bits: UInt64) -> Float {
      switch self {
      case .half: ImageEmbedding.number(ofHalf: UInt16(truncatingIfNeeded: bits))
      case .single: Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      case .double: Float(Double(bitPattern: bits))
      }
    }
  }

  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// The limit of NumPy itself.
  private static let lengthLimit = 10_000

  let numberType: NumberType
  let shape: [Int]
  /// The number of bytes before the first number.
  let byteCount: Int

  init(of file: borrowing OpenFile) throws(EmbeddingArray.Failure) {
    let notNumPy = EmbeddingArray.Failure(reason: "is not a NumPy .npy file")
    guard file.status.byteCount >= 12 else { throw notNumPy }
    let beginning = try file.bytes(in: 0..<12)
    guard beginning.starts(with: Self.magic) else { throw notNumPy }
    let version = beginning[6]
    guard (1...3).contains(version) else {
      throw EmbeddingArray.Failure(
        reason: "has version \(version) of the .npy format; expected 1, 2 or 3")
    }
    let lengthSize = version == 1 ? 2 : 4
    let length = beginning[8..<8 + lengthSize].reversed().reduce(0) { $0 << 8 | Int($1) }
    byteCount = 8 + lengthSize + length
    guard length <= Self.lengthLimit, byteCount <= file.status.byteCount else { throw notNumPy }
    var text = LiteralReader(try file.bytes(in: 8 + lengthSize..<byteCount))
    guard let fields = text.dictionary(), text.isAtEnd,
      case .string(let type)? = fields["descr"],
      case .bool(let isFortran)? = fields["fortran_order"],
      case .tuple(let shape)? = fields["shape"]
    else {
      throw EmbeddingArray.Failure(
        reason: "has a header that cannot be read; expected one array of plain numbers")
    }
    guard let numberType = NumberType(rawValue: type) else {
      let known = NumberType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw EmbeddingArray.Failure(
        reason: "has numbers of the type '\(type)'; expected one of \(known)")
    }
    guard !isFortran else {
      throw EmbeddingArray.Failure(
        reason: "has its columns one after the other; save numpy.ascontiguousarray(…) of it")
    }
    self.numberType = numberType
    self.shape = shape
  }
}

/// Reads the Python literals that a header has.
private struct LiteralReader {
  enum Literal {
    case string(String)
    case bool(Bool)
    case tuple([Int])
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// A Boolean value that indicates whether only white space remains.
  var isAtEnd: Bool { rest.allSatisfy(Self.isBlank) }

  /// Takes a dictionary of strings, booleans and tuples of integers; returns `nil` if it is none.
  mutating func dictionary() -> [String: Literal]? {
    guard take("{") else { return nil }
    var fields: [String: Literal] = [:]
    while !take("}") {
      guard let name = string(), take(":"), let value = literal() else { return nil }
      fields[name] = value
      guard take(",") || next == UInt8(ascii: "}") else { return nil }
    }
    return fields
  }

  private mutating func literal() -> Literal? {
    if take("True") { return .bool(true) }
    if take("False") { return .bool(false) }
    if take("(") { return tuple().map(Literal.tuple) }
    return string().map(Literal.string)
  }

  private mutating func tuple() -> [Int]? {
    var numbers: [Int] = []
    while !take(")") {
      skipBlanks()
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
      rest = rest[digits.endIndex...]
      numbers.append(number)
      guard take(",") || next == UInt8(ascii: ")") else { return nil }
    }
    return numbers
  }

  /// Takes a string without escapes, which no name or type of number has.
  private mutating func string() -> String? {
    guard let quote = next, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      return nil
    }
    let contents = rest.dropFirst().prefix { $0 != quote && $0 != UInt8(ascii: "\\") }
    guard contents.endIndex < rest.endIndex, rest[contents.endIndex] == quote else { return nil }
    rest = rest[(contents.endIndex + 1)...]
    return String(validating: contents, as: UTF8.self)
  }

  /// The next byte that is not a blank.
  private var next: UInt8? {
    mutating get {
      skipBlanks()
      return rest.first
    }
  }

  private mutating func take(_ token: String) -> Bool {
    skipBlanks()
    guard rest.starts(with: token.utf8) else { return false }
    rest = rest.dropFirst(token.utf8.count)
    return true
  }

  private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
  }
}
