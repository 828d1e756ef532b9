/// The four bits in which signatures keep a bin of a histogram.
///
/// Bins are roots of shares, and most are small: grades follow the square of their number, so that
/// small bins are told apart and large ones are off by at most 15. A query keeps its bins in eight
/// bits.
enum HistogramGrade {
  /// The number of grades.
  static let count = 16
  /// The bin that each grade stands for.
  static let bins: [UInt8] = (0..<count).map { UInt8($0 * $0 + $0 * $0 / 8) }
  /// The nearest grade of each bin, the lower of two.
  private static let grades: [UInt8] = (0...255).map { bin in
    UInt8(bins.indices.min { abs(Int(bins[$0]) - bin) < abs(Int(bins[$1]) - bin) }!)
  }

  /// Returns the bins that signatures keep for the given ones.
  static func graded(_ bins: [UInt8]) -> [UInt8] { bins.map { Self.bins[Int(grades[Int($0)])] } }

  /// Packs two bins into each byte, the first of them in the low half.
  static func packed(_ bins: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bins.count, by: 2).map { index in
      grades[Int(bins[index])] | grades[Int(bins[index + 1])] << 4
    }
  }

  /// Returns the bins of packed grades.
  static func unpacked(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var unpacked: [UInt8] = []
    unpacked.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      unpacked.append(bins[Int(byte & 15)])
      unpacked.append(bins[Int(byte >> 4)])
    }
    return unpacked
  }
}
