import TestSupport
import Testing
@testable import PixelMatch

@Suite struct HistogramGradeTests {
  /// Would break if a segment gave back other bins than the signature had.
  @Test func `every grade comes back, and every bin is near its grade`() {
    #expect(HistogramGrade.graded(HistogramGrade.bins) == HistogramGrade.bins)
    #expect(
      HistogramGrade.unpacked(HistogramGrade.packed(HistogramGrade.bins)) == HistogramGrade.bins)
    for bin in 0...255 as ClosedRange<UInt8> {
      let kept = Int(HistogramGrade.graded([bin])[0])
      let nearest = HistogramGrade.bins.map { abs(Int($0) - Int(bin)) }.min()!
      #expect(abs(kept - Int(bin)) == nearest && nearest <= 17)
    }
  }
}
