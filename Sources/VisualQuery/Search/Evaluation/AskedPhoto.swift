internal import PixelMatch

/// A labelled photo that was asked for a fit of the shop, as a token that a client keeps until all photos are asked.
///
/// So a server stores neither a photo nor what it says, any server of the same catalogue can go on, and nobody can make up what a photo
/// says. The bytes of the token, which ``SealedToken`` seals: `fit` and a version (4), the mark of the photo (8), then the mark of the
/// calibration, the edit, the product and the model of the vectors, each with its length (2), a byte that is 1 if the photo was also asked
/// as if the shop did not have its thing, and the candidates of these one or two answers, each with their number (2).
package struct AskedPhoto: Sendable {
  /// The most bytes of a token: two hundred candidates with all witnesses, and the longest names.
  package static let tokenLimit = 16_384
  private static let head = Array("fit".utf8) + [1]

  /// The first bytes of the hash of its file, since the same photo twice would count double.
  package let mark: [UInt8]
  /// The parts of the photo that a fit needs: no answers, and only the product of the right ones.
  package let query: EvaluatedQuery

  /// - Parameter image: The bytes of the photo.
  package init(_ query: EvaluatedQuery, image: [UInt8]) {
    mark = Array(SHA256.hash(image).prefix(8))
    self.query = query
  }

  /// Returns the token, or `nil` if it would be longer than what is accepted.
  package func token(for catalogue: Catalogue) -> String? {
    let names = [Calibration.mark, query.query.edit, query.product ?? "", query.vectors ?? ""]
    guard names.allSatisfy({ $0.utf8.count <= UInt16.max }) else { return nil }
    var bytes = Self.head + mark
    for name in names { bytes += Self.bytes(of: name.utf8.count) + name.utf8 }
    bytes.append(query.withoutRight == nil ? 0 : 1)
    for list in [query.witnessed] + (query.withoutRight.map { [$0] } ?? []) {
      bytes += Self.bytes(of: list.count) + list.flatMap(\.bytes)
    }
    let token = SealedToken.seal(bytes, secret: catalogue.secret)
    return token.utf8.count <= Self.tokenLimit ? token : nil
  }

  /// Opens a token.
  ///
  /// - Throws: ``MatchError`` with the code `invalidToken` or `expiredToken`.
  package init(token: String, catalogue: Catalogue) throws(MatchError) {
    guard token.utf8.count <= Self.tokenLimit,
      let bytes = SealedToken.open(token, secret: catalogue.secret),
      let (photo, calibration) = Self.read(bytes)
    else {
      throw MatchError(
        code: .invalidToken,
        message: "the photo was not asked of this catalogue, or its token was altered")
    }
    guard calibration == Calibration.mark else {
      throw MatchError(
        code: .expiredToken,
        message: "the photo was asked of another version of the program; ask with it again")
    }
    self = photo
  }

  private init(mark: [UInt8], query: EvaluatedQuery) { (self.mark, self.query) = (mark, query) }

  /// Reads the bytes of a token without its seal; `nil` for bytes that ``token(for:)`` never seals.
  private static func read(_ bytes: [UInt8]) -> (photo: AskedPhoto, calibration: String)? {
    var reader = ByteReader(bytes[...])
    func name() -> String? {
      reader.number(2).flatMap { reader.take(Int($0)) }.map { String(decoding: $0, as: UTF8.self) }
    }
    func candidates() -> [WitnessedEntity]? {
      guard let count = reader.number(2) else { return nil }
      var list: [WitnessedEntity] = []
      for _ in 0..<count {
        guard let entity = WitnessedEntity(&reader) else { return nil }
        list.append(entity)
      }
      return list
    }
    guard reader.take(head.count).map({ Array($0) }) == head, let mark = reader.take(8),
      let calibration = name(), let edit = name(), let product = name(), let vectors = name(),
      let isTwice = reader.number(1), let witnessed = candidates(),
      let withoutRight = isTwice == 1 ? candidates() : [], reader.isAtEnd
    else { return nil }
    let truth = product.isEmpty ? [] : [product]
    var query = EvaluatedQuery(EvaluationQuery(truth: truth, edit: edit), answers: [])
    query.product = truth.first
    query.vectors = vectors.isEmpty ? nil : vectors
    query.witnessed = witnessed
    query.withoutRight = isTwice == 1 ? withoutRight : nil
    return (AskedPhoto(mark: Array(mark), query: query), calibration)
  }

  private static func bytes(of count: Int) -> ArraySlice<UInt8> {
    bigEndianBytes(of: UInt64(count)).suffix(2)
  }
}

extension WitnessedEntity {
  /// A byte that says whether it is right (1), whether a fit changes it (2), and which witnesses say something (4, 8, 16, 32), and the
  /// numbers of these.
  fileprivate var bytes: [UInt8] {
    let numbers = [seen.image, seen.labels, seen.text, seen.vector]
    var flags: UInt8 = (isRight ? 1 : 0) | (isFitted ? 2 : 0)
    for (place, number) in numbers.enumerated() where number != 0 { flags |= 4 << UInt8(place) }
    return [flags] + numbers.filter { $0 != 0 }.flatMap { bigEndianBytes(of: $0.bitPattern) }
  }

  fileprivate init?(_ reader: inout ByteReader) {
    guard let flags = reader.number(1), flags < 64 else { return nil }
    var numbers = [0.0, 0, 0, 0]
    for place in numbers.indices where flags & 4 << UInt64(place) != 0 {
      guard let bits = reader.number(8) else { return nil }
      numbers[place] = Double(bitPattern: bits)
    }
    let seen = Testimony(
      image: numbers[0], labels: numbers[1], text: numbers[2], vector: numbers[3])
    self.init(isRight: flags & 1 != 0, seen: seen, isFitted: flags & 2 != 0)
  }
}
