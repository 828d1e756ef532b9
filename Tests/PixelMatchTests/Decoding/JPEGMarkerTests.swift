import PixelMatch
import TestSupport
import Testing

/// The markers of a JPEG, between compressed data of any length.
@Suite struct JPEGMarkerTests {
  /// Returns compressed data, in which a 0xFF comes before a 0, a restart marker, or another 0xFF and one of these.
  private func compressed(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    var data: [UInt8] = []
    while data.count < count {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: data += [0xFF, 0x00]
      case 1: data += [0xFF, UInt8.random(in: 0xD0...0xD7, using: &generator)]
      case 2: data += [0xFF, 0xFF, 0x00]
      case 3: data += repeatElement(0xFE, count: 9)
      default: data.append(UInt8.random(in: 0...0xFE, using: &generator))
      }
    }
    return data
  }

  /// Would break if a marker were skipped with the eight or 32 bytes around it, or taken for one where there is none.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `all scans are counted`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC2, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]
    let scans = Int.random(in: 1...5, using: &generator)
    for _ in 0..<scans {
      bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
      bytes += compressed(Int.random(in: 0...100, using: &generator), using: &generator)
      bytes += repeatElement(0xFF, count: Int.random(in: 0...2, using: &generator))
    }
    bytes += [0xFF, 0xD9]
    // A scan after the end marker does not count.
    if seed % 3 == 0 { bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] }
    let header = try ImageDecoder().header(of: bytes)
    #expect(header.scanCount == scans)
  }
}
