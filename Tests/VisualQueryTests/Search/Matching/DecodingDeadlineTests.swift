import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// A picture that takes longer to decode than its question may take.
@Suite struct DecodingDeadlineTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func matcher(_ clock: SteppingClock = SteppingClock()) async throws -> Matcher {
    Matcher(catalogue: try await Self.shared.value.1, pool: WorkerPool(width: 1), clock: clock)
  }

  /// A few hundred bytes with a great many rows to be looked at in turn.
  private let slow = PNGFile.black(width: 3000, height: 2000, isInterlaced: true)

  @Test func `a picture that is not decoded in time is left out, and its labels are kept`()
    async throws
  {
    let clock = SteppingClock()
    let content = try await matcher(clock).content(
      decoding: slow, labels: ["mug"], timeout: .milliseconds(20))
    #expect(content.isPictureLeftOut && content.pixelBuffer == nil)
    #expect(content.labels == ["mug"])
    // One look at the clock each millisecond: none comes long after the deadline.
    #expect((20...24).contains(clock.lookCount))
  }

  @Test func `a picture that is decoded in time is whole`() async throws {
    for timeout in [nil, Duration.seconds(10_000)] {
      let content = try await matcher().content(decoding: slow, timeout: timeout)
      #expect(!content.isPictureLeftOut)
      #expect(content.pixelBuffer?.width == QuerySignature.workingSide)
    }
  }

  /// Would break if a late picture were an error, or if what the labels say were lost with it.
  @Test func `the answer is that of the labels alone, and incomplete`() async throws {
    let matcher = try await matcher()
    let content = try await matcher.content(
      decoding: slow, labels: ["mug", "zebra"], timeout: .zero)
    for timeout in [nil, Duration.zero] {
      let answer = try await matcher.values(
        for: content, options: MatchOptions(timeout: timeout))
      let labels = try await matcher.values(
        for: SemanticContent(labels: ["mug", "zebra"]), options: MatchOptions(timeout: nil))
      #expect(!labels.matches.isEmpty && answer.matches == labels.matches)
      #expect(answer.unmatchedLabels == ["zebra"])
      #expect(answer.minimumConfidence == labels.minimumConfidence)
      #expect(!answer.isComplete && labels.isComplete)
      #expect(answer.coverage > 0 && answer.coverage < 0.2)
    }
  }

  /// Reading a label of this many entities takes more than one look at the deadline.
  @Test func `labels of many entities are not lost to a deadline that has passed`() async throws {
    let folder = try TemporaryDirectory()
    let rows = (0..<400).map { #"{"type":"product","id":"p\#($0)","title":"T","labels":["mug"]}"# }
    _ = try await Indexer(directory: folder.path + "/many.vq").run(
      path: folder.write(rows.joined(separator: "\n"), to: "c.jsonl"))
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/many.vq"))
    let content = try await matcher.content(decoding: slow, labels: ["mug"], timeout: .zero)
    let answer = try await matcher.values(
      for: content, options: MatchOptions(minimumConfidence: 0, timeout: .zero))
    #expect(answer.matches.count == 5 && !answer.isComplete)
  }

  @Test(arguments: [[], ["zebra"]])
  func `an empty answer says that the deadline passed`(labels: [String]) async throws {
    let matcher = try await matcher()
    let content = try await matcher.content(decoding: slow, labels: labels, timeout: .zero)
    let answer = try await matcher.values(for: content)
    #expect(answer.matches.isEmpty && !answer.isComplete)
    #expect(answer.emptyReason == .deadlinePassed)
  }

  @Test func `early answers of a picture that was left out end with its labels`() async throws {
    let matcher = try await matcher()
    let content = try await matcher.content(decoding: slow, labels: ["mug"], timeout: .zero)
    var answers: [MatchResponse] = []
    for try await answer in matcher.answers(for: content) { answers.append(answer) }
    #expect(answers.count == 1 && answers.first?.isComplete == false)
  }

  /// A file that cannot be decoded at all is refused whatever the time.
  @Test func `a picture that is refused is refused behind its deadline, too`() async throws {
    let matcher = try await matcher()
    await #expect(throws: DecodeError.self) {
      try await matcher.content(decoding: Array("GIF89a".utf8), timeout: .zero)
    }
  }

  @Test func `a cancellation ends decoding, whatever the deadline`() async throws {
    let clock = SteppingClock { look in
      if look == 10 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
    }
    let matcher = try await matcher(clock)
    let slow = slow
    let task = Task { try await matcher.content(decoding: slow, timeout: .seconds(1000)) }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(clock.lookCount <= 12)
  }

  /// A region is decoded more finely, which takes memory that there may not be.
  @Test func `a region is decoded as finely as memory allows`() async throws {
    let bytes = PNGFile.black(width: 4000, height: 3000, isInterlaced: false)
    let region = PictureRegion(x: 0, y: 0, width: 0.1, height: 0.1)
    func width(_ memoryLimit: Int) async throws -> Int? {
      try await matcher().content(
        decoding: bytes, region: region,
        decoder: ImageDecoder(limits: DecodeLimits(memoryLimit: memoryLimit))
      ).pixelBuffer?.width
    }
    #expect(try await width(512 << 20) == 4000)
    #expect(try await width(20 << 20) == 2048)
    #expect(try await width(1 << 20) == 1024)
  }

  @Test func `damage that was passed over is told`() async throws {
    let whole = try ImageDecoder().contents(ofFile: SampleShop.image("candle.png"))
    let damaged = try await matcher().content(
      decoding: PNGFile.withWrongChecksum(whole), decoder: ImageDecoder(keepsDamaged: true))
    #expect(damaged.pictureDamage?.code == .corrupt)
    let sound = try await matcher().content(decoding: whole)
    #expect(sound.pictureDamage == nil)
    #expect(damaged.pixelBuffer?.bytes == sound.pixelBuffer?.bytes)
  }
}
