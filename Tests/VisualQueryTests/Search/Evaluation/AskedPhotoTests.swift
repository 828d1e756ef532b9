import TestSupport
import Testing

@testable import ShopBase
@testable import ShopSearch
import VisualQuery

/// What a labelled photo says, from the question to the fit.
@Suite struct AskedPhotoTests {
  private static func shop(_ name: String) async throws -> (TemporaryDirectory, Catalogue) {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(#"{"type":"product","id":"a","title":"A"}"#, to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/" + name).run(path: feed)
    return (folder, try Catalogue(directory: folder.path + "/" + name))
  }

  private static func asked(_ product: String?, _ candidates: [WitnessedEntity]) -> EvaluatedQuery {
    let truth = product.map { [$0] } ?? []
    var query = EvaluatedQuery(EvaluationQuery(truth: truth, edit: "phone"), answers: [])
    query.witnessed = candidates
    if product != nil { query.withoutRight = Array(candidates.dropFirst()) }
    (query.product, query.vectors) = (product, product == nil ? nil : "model ü")
    return query
  }

  private static let candidates = [
    WitnessedEntity(
      isRight: true, seen: Testimony(image: 0.1 + 0.2, labels: -1.5, text: 1e-9, vector: 3)),
    WitnessedEntity(isRight: false, seen: Testimony(image: -7, vector: -0.25), isFitted: false),
    WitnessedEntity(isRight: false, seen: Testimony(image: 0)),
  ]

  /// Would break if a fit over HTTP were another one than that of the command, which sees the numbers themselves.
  @Test func `a token holds all that a fit needs, to the last bit`() async throws {
    let (_, catalogue) = try await Self.shop("shop.vq")
    for query in [
      Self.asked("group camp mug", Self.candidates), Self.asked(nil, Self.candidates),
      Self.asked(nil, []),
    ] {
      let photo = AskedPhoto(query, image: [1, 2, 3])
      let token = try #require(photo.token(for: catalogue))
      let again = try AskedPhoto(token: token, catalogue: catalogue)
      #expect(again.mark == photo.mark && again.query.isPositive == query.isPositive)
      #expect(again.query.witnessed == query.witnessed)
      #expect(again.query.withoutRight == query.withoutRight)
      #expect(again.query.product == query.product && again.query.vectors == query.vectors)
      #expect(again.query.query.edit == "phone")
    }
  }

  /// Would break if a photo with as many candidates as an evaluation keeps had no token, or five hundred did not fit into one request.
  @Test func `as many candidates as there may be fit into a token`() async throws {
    let (_, catalogue) = try await Self.shop("shop.vq")
    let most = Array(repeating: Self.candidates[0], count: EvaluatedQuery.answerLimit + 1)
    let token = AskedPhoto(Self.asked("p", most), image: []).token(for: catalogue)
    #expect(try #require(token).utf8.count < 9_500)
    let name = String(repeating: "ü", count: 20_000)
    #expect(AskedPhoto(Self.asked(name, []), image: []).token(for: catalogue) == nil)
    let longest = String(repeating: "ü", count: 40_000)
    #expect(AskedPhoto(Self.asked(longest, []), image: []).token(for: catalogue) == nil)
  }

  @Test func `a token that was altered, or is of another catalogue, is refused`() async throws {
    let (_, catalogue) = try await Self.shop("shop.vq")
    let (_, other) = try await Self.shop("other.vq")
    let token = try #require(
      AskedPhoto(Self.asked("p", Self.candidates), image: []).token(for: catalogue))
    func code(_ token: String, _ catalogue: Catalogue) -> MatchError.Code? {
      do throws(MatchError) {
        _ = try AskedPhoto(token: token, catalogue: catalogue)
        return nil
      } catch { return error.code }
    }
    #expect(code(token, catalogue) == nil && code(token, other) == .invalidToken)
    for text in ["", "x", String(token.dropLast()), "A" + token.dropFirst(), token + "AAAA"] {
      #expect(code(text, catalogue) == .invalidToken, "\(text.prefix(9))")
    }
    // What the server seals elsewhere is no photo.
    let head = Array("fit".utf8) + [1]
    for bytes in [
      [], [3], head, head + [UInt8](repeating: 0, count: 20), [UInt8](repeating: 255, count: 99),
    ] {
      #expect(code(SealedToken.seal(bytes, secret: catalogue.secret), catalogue) == .invalidToken)
    }
    var former = head + [UInt8](repeating: 7, count: 8)
    former += [0, 1] + Array("x".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0]
    #expect(code(SealedToken.seal(former, secret: catalogue.secret), catalogue) == .expiredToken)
  }
}
