import Testing

@testable import ShopStore
import VisualQuery

/// Hosts that are given up.
@Suite struct HostRecordTests {
  @Test func `a host that fails eight times in a row is given up`() {
    var record = HostRecord()
    for _ in 0..<7 { record.note(.unavailable, after: .zero) }
    #expect(record.reasonToGiveUp == nil)
    record.noteSuccess()
    for _ in 0..<8 { record.note(.unavailable, after: .zero) }
    #expect(record.reasonToGiveUp == "failed 8 times in a row")
  }

  /// Would break if one good image in eight made a slow server cost twenty seconds for each of the others.
  @Test func `a slow host is given up by its time, whatever it sends in between`() {
    var record = HostRecord()
    var count = 0
    while record.reasonToGiveUp == nil, count < 1000 {
      count += 1
      if count % 8 == 0 {
        record.noteSuccess()
      } else {
        record.note(.unavailable, after: .seconds(20))
      }
    }
    #expect(count == 4 && record.reasonToGiveUp == "took 76 s for requests that failed")
  }

  @Test func `a host that fails now and then is not given up`() {
    var record = HostRecord()
    for number in 1...10_000 {
      if number % 20 == 0 {
        record.note(.unavailable, after: .seconds(20))
      } else {
        record.noteSuccess()
      }
      #expect(record.reasonToGiveUp == nil)
    }
  }

  /// Missing images are prompt answers, and none of the server's faults.
  @Test func `a host without the images is not given up`() {
    var record = HostRecord()
    for _ in 0..<10_000 { record.note(.missing, after: .milliseconds(900)) }
    for _ in 0..<1000 { record.note(.notAllowed, after: .seconds(60)) }
    #expect(record.reasonToGiveUp == nil)
    for _ in 0..<4 { record.note(.unusable, after: .seconds(20)) }
    #expect(record.reasonToGiveUp != nil)
  }
}
