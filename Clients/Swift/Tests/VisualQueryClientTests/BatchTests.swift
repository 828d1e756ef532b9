import Foundation
import Testing

@testable import VisualQueryClient

/// Would break if many or long ids made a request that the service refuses, or if some were lost.
@Suite struct BatchTests {
  @Test(arguments: [0, 1, 999, 1000, 1001, 2500])
  func `every id is in one batch of at most 1000`(count: Int) {
    let ids = (0..<count).map { "product:\($0)" }
    let batches = ShopClient.batches(ids)
    #expect(batches.flatMap { $0 } == ids)
    #expect(batches.allSatisfy { (1...1000).contains($0.count) })
  }

  @Test func `long ids make smaller batches`() throws {
    let ids = (0..<1000).map { "product:" + String(repeating: "\"é", count: 125) + "\($0)" }
    let batches = ShopClient.batches(ids)
    #expect(batches.flatMap { $0 } == ids)
    #expect(batches.count > 1)
    for batch in batches {
      let bytes = try JSONEncoder().encode(["ids": Array(batch)]).count
      #expect(bytes <= 524_288)
    }
  }

  @Test func `a state has at most 250 bytes and is read as it was written`() throws {
    let state = CopyState(token: String(repeating: "x", count: 54), language: "zh-Hant-TW")
    #expect(state.data.count <= CopyState.byteLimit)
    #expect(CopyState(state.data) == state)
    #expect(CopyState(Data("2\nde\nx".utf8)) == nil)
    #expect(CopyState(Data(repeating: 0x31, count: 300)) == nil)
  }
}
