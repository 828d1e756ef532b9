import PixelMatch
import Synchronization
import Testing

@testable import ShopIndex
import VisualQuery

/// Equal images, which are analyzed once.
@Suite struct ImageAnalysesTests {
  private final class Counter: Sendable {
    let number = Atomic(0)
  }

  @Test func `a signature and a thumbnail are computed once for each content and size`()
    async throws
  {
    let analyses = ImageAnalyses()
    let pixels = try PixelBuffer(
      width: 8, height: 8, format: .rgba8, bytes: Array(repeating: 200, count: 256))
    var (signatures, thumbnails) = (0, 0)
    for number in 0..<6 {
      let content = ImageAnalyses.Content(byteCount: number % 2, hash: 1)
      let isNew = try await analyses.signatures(of: content) {
        signatures += 1
        return [Signature(pixels)]
      }.isNew
      #expect(isNew == (number < 2))
      let thumbnail = try await analyses.thumbnail(of: content, side: 100 + number % 3) {
        thumbnails += 1
        return KeptThumbnails.Thumbnail(side: 100 + number % 3, jpeg: [UInt8(number)])
      }
      #expect(thumbnail.side == 100 + number % 3)
    }
    #expect(signatures == 2 && thumbnails == 6)
    await #expect(throws: DecodeError.self) {
      try await analyses.signatures(of: ImageAnalyses.Content(byteCount: 9, hash: 9)) {
        () throws(DecodeError) in throw DecodeError(code: .cancelled, message: "")
      }
    }
  }

  @Test func `of many tasks that want a result one computes it`() async throws {
    let results = SharedResults<Int, Int>(costLimit: 100)
    let computed = Counter()
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          try await results.result(of: number % 4, cost: { _ in 1 }) {
            computed.number.add(1, ordering: .relaxed)
            return 10 * (number % 4)
          }.0
        }
      }
      for try await value in group { #expect(value % 10 == 0) }
    }
    #expect(computed.number.load(ordering: .relaxed) == 4)
  }

  @Test func `a picture that cannot be decoded is tried once, and one that was cancelled again`()
    async
  {
    let results = SharedResults<Int, Int>(costLimit: 100)
    for (code, count) in [(DecodeError.Code.corrupt, 1), (.cancelled, 3)] {
      var tried = 0
      for _ in 0..<3 {
        await #expect(throws: DecodeError.self) {
          try await results.result(of: count, cost: { _ in 1 }) { () throws(DecodeError) in
            tried += 1
            throw DecodeError(code: code, message: "")
          }
        }
      }
      #expect(tried == count)
    }
  }

  @Test func `the values that were added last are kept, up to a cost`() {
    var values = RecentValues<Int, Int>(costLimit: 10)
    for number in 0..<1000 {
      values.insert(number, for: number, cost: 3)
      #expect(values[number] == number && values[number - 3] == nil)
    }
    #expect(values[997] == 997)
    values.insert(0, for: 2000, cost: 11)
    #expect(values[2000] == nil)
  }
}
