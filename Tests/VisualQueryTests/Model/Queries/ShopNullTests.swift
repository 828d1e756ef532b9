import Testing

import ShopModel
import VisualQuery

/// The answers of a shop to its own images, as they are stored.
@Suite struct ShopNullTests {
  private static func null(sketch: [UInt32] = Array(1...64), fit: ShopFit? = nil) -> ShopNull {
    ShopNull(
      calibration: "c", withoutOwn: CountedShare(21, of: 100),
      withoutGroup: CountedShare(1, of: 40), present: CountedShare(97, of: 100), unavailable: 2,
      pairs: (0..<7).map {
        .init(asked: "product:a\($0)", answered: "product:b", confidence: 0.98765)
      }, sketch: sketch, fit: fit, fitted: fit.map { _ in CountedShare(2, of: 100) })
  }

  private static let fit = ShopFit(
    [.prior: -0.5, .temperature: 0.6], calibration: "c", vectors: nil, photos: 100, products: 90,
    isCareful: true)

  @Test func `answers that are stored are read again`() throws {
    for null in [Self.null(), Self.null(fit: Self.fit), Self.null(sketch: [])] {
      #expect(try ShopNull(json: JSONValue(stored: null.json.text)) == null)
    }
    let null = Self.null(fit: Self.fit)
    #expect(null.pairs.count == ShopNull.pairLimit && null.pairs[0].confidence == 0.9877)
    #expect(null.fit?.isCareful == true && null.fit?[.temperature] == 0.6)
    #expect(null.withoutFit == Self.null())
  }

  @Test func `damaged answers are refused`() throws {
    for wrong in [
      "[]", "{}", #"{"calibration":"c"}"#,
      #"{"calibration":"c","withoutOwn":{"asked":1,"sure":2},"withoutGroup":{"asked":0,"sure":0},"present":{"asked":0,"sure":0}}"#,
      #"{"calibration":"c","withoutOwn":{"asked":1,"sure":-1},"withoutGroup":{"asked":0,"sure":0},"present":{"asked":0,"sure":0}}"#,
      #"{"calibration":"c","withoutOwn":{"asked":1,"sure":0},"withoutGroup":{"asked":0,"sure":0},"present":{"asked":0,"sure":0},"fit":{}}"#,
    ] {
      #expect(throws: FieldError.self, "\(wrong)") {
        try ShopNull(json: JSONValue(stored: wrong))
      }
    }
  }

  /// Would break if each new product of a large shop had all its images asked again.
  @Test func `a shop in which little has changed is not asked again`() {
    let null = Self.null()
    #expect(null.isFresh(for: Array(1...64), calibration: "c"))
    #expect(null.isFresh(for: [99, 100, 101, 102] + Array(1...60), calibration: "c"))
    #expect(!null.isFresh(for: Array(6...69), calibration: "c"))
    #expect(!null.isFresh(for: Array(1...64), calibration: "d"))
    #expect(!null.isFresh(for: Array(1...32), calibration: "c"))
    #expect(Self.null(sketch: []).isFresh(for: [], calibration: "c"))
  }

  @Test func `a counted share has an interval`() {
    #expect(CountedShare(0, of: 0).share == nil && CountedShare(0, of: 0).interval == 0...1)
    let share = CountedShare(21, of: 100)
    #expect(share.share == 0.21 && share.interval.contains(0.15) && !share.interval.contains(0.3))
    #expect(CountedShare(0, of: 100).interval.lowerBound == 0)
    #expect(CountedShare(0, of: 100).interval.upperBound < 0.04)
  }
}
