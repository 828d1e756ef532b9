import Foundation
import PixelMatch
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct RivalsTests {
  /// A candidate of the colors of the image, with keypoints in some cells of it.
  private func candidate(_ inliers: Int, in box: ImageBox? = nil) -> MeasuredEvidence {
    MeasuredEvidence(
      hash: 0, color: 0.95, texture: 0.5, inliers: inliers,
      claim: box.map { ImageClaim($0) } ?? ImageClaim())
  }

  private let left = ImageBox(x: 0, y: 0, width: 0.5, height: 1)
  private let right = ImageBox(x: 0.5, y: 0, width: 0.5, height: 1)

  /// Would break if the best candidate were compared with itself.
  @Test func `a lead is over the best of the others`() {
    let rivals = Rivals([candidate(0), candidate(0), candidate(0)], scores: [4, 5, 3.5])
    #expect(rivals.standing(of: 1).lead == 1)
    #expect(rivals.standing(of: 0).lead == -1 && rivals.standing(of: 2).lead == -1.5)
    let twins = Rivals([candidate(0), candidate(0)], scores: [5, 5])
    #expect(twins.standing(of: 0).lead == 0 && twins.standing(of: 1).lead == 0)
  }

  /// Would break if a lead without keypoints said as much as one with them.
  @Test(arguments: [(0, 3.0), (8, 3), (16, 3.5), (24, 4), (90, 4)])
  func `a lead is capped by what keypoints say`(inliers: Int, limit: Double) {
    let rivals = Rivals([candidate(inliers), candidate(0)], scores: [20, 1])
    #expect(rivals.standing(of: 0).lead == limit)
    // The part of a lead below -3 counts with a factor of 0.03.
    #expect(abs(rivals.standing(of: 1).lead + 3.48) < 1e-9)
  }

  /// Would break if all leads beyond the limit were the same, or if one over a sibling counted whole.
  @Test func `a lead beyond its limit is known`() {
    func farLead(_ score: Double, rival: Int = 0) -> Double {
      Rivals([candidate(60), candidate(rival)], scores: [score, 1]).standing(of: 0).farLead
    }
    #expect([1.0, 4, 5, 6, 20].map { farLead($0) } == [0, 0, 0.5, 1, 1])
    // A rival with as many keypoints makes three fifths of a lead doubtful.
    #expect(farLead(6, rival: 60) == 0 && farLead(20, rival: 60) == 1)
  }

  /// Would break if of two things in one image the surer one held down the other.
  @Test func `what lies in another part of the image is no rival`() {
    let rivals = Rivals(
      [candidate(60, in: left), candidate(12, in: right), candidate(3)], scores: [30, 15, 9])
    #expect(rivals.standing(of: 0).lead == 4)
    #expect(rivals.standing(of: 1).lead == 3.25)
    #expect(abs(rivals.standing(of: 1).inlierLead - 0.1315) < 1e-3)
    // Few keypoints do not tell where a thing lies, and siblings lie in the same place.
    let near = Rivals([candidate(60, in: left), candidate(7, in: right)], scores: [30, 15])
    #expect(near.standing(of: 1).lead < -3)
    let siblings = Rivals([candidate(60, in: left), candidate(12, in: left)], scores: [30, 15])
    #expect(siblings.standing(of: 1).lead < -3)
  }

  /// Would break if a thing in another color were shown because its patches look the same: they do in all colors.
  @Test func `patches count unless those of a rival look nearly as much the same`() {
    func candidate(_ agreeing: Int?, of visible: Int = 100) -> MeasuredEvidence {
      var candidate = self.candidate(30)
      candidate.patches = agreeing.map { PatchAgreement(visible: visible, agreeing: $0) }
      return candidate
    }
    func lead(_ own: MeasuredEvidence, over rival: MeasuredEvidence?) -> Double {
      let all = [own] + (rival.map { [$0] } ?? [])
      return Rivals(all, scores: all.map { _ in 10 }).standing(of: 0).patchLead
    }
    #expect(lead(candidate(98), over: nil) == 1)
    // A rival whose patches were not compared may have as many equal patches, unless it hardly aligns.
    #expect(lead(candidate(98), over: candidate(nil)) == 0)
    #expect(lead(candidate(98), over: self.candidate(14)) == 1)
    #expect(lead(candidate(98), over: candidate(60)) == 1)
    #expect((0.3..<0.7).contains(lead(candidate(98), over: candidate(83))))
    #expect(lead(candidate(98), over: candidate(93)) == 0)
    #expect((0.3..<0.7).contains(lead(candidate(92), over: nil)))
    #expect(lead(candidate(82), over: nil) == 0 && lead(candidate(nil), over: nil) == 0)
    // A few patches look the same by chance.
    #expect(lead(candidate(10, of: 10), over: nil) == 0.25)
  }

  /// Would break if the nearest of some colors of a thing were as sure as the right one: its lead over the others does
  /// not say that the color is right.
  @Test func `a lead over siblings counts less if the color differs`() {
    func lead(residual: Double?, rival inliers: Int) -> Double {
      var own = candidate(90)
      own.residual = residual
      return Rivals([own, candidate(inliers)], scores: [13, 10]).standing(of: 0).lead
    }
    #expect(lead(residual: 0.04, rival: 30) == 3 && lead(residual: 0.005, rival: 90) == 3)
    #expect(abs(lead(residual: 0.05, rival: 90) - 1.2) < 1e-9)
    #expect(lead(residual: nil, rival: 90) == lead(residual: 0.05, rival: 90))
    #expect(abs(lead(residual: 0.05, rival: 60) - 1.8) < 1e-9)
    #expect((1.3..<2.9).contains(lead(residual: 0.02, rival: 90)))
    // The doubt about a sibling's lead does not improve a candidate with a lower score.
    #expect(Rivals([candidate(60), candidate(60)], scores: [10, 13]).standing(of: 0).lead == -3)
  }

  /// Would break if a shirt were sure though only the face of the person who wears it agrees, as it does in a rival; or if a thing whose own
  /// colors agree, or that aligns better than all others, lost its lead.
  @Test func `a lead over what aligns as well counts less unless the colors agree`() {
    func lead(_ inliers: Int, color: Double = 0.8, residual: Double = 0.05, rival: Int) -> Double {
      var own = candidate(inliers)
      (own.color, own.residual) = (color, residual)
      return Rivals([own, candidate(rival)], scores: [20, 1]).standing(of: 0).lead
    }
    let doubtful = lead(20, rival: 20)
    #expect(abs(doubtful - 0.4 * 3.75) < 1e-9)
    #expect((doubtful + 0.1..<3.6).contains(lead(20, rival: 18)))
    // Fewer agree by chance, or in lettering that things share.
    #expect(lead(20, rival: 10) == 3.75)
    #expect(lead(27, rival: 20) == 4)
    #expect(lead(20, color: 0.93, rival: 20) == 3.75)
    #expect(lead(20, residual: 0.001, rival: 20) == 3.75)
  }

  /// Would break if a thing that has only the color of what the image shows, while a sibling of that aligns clearly better,
  /// were as sure as the thing itself.
  @Test func `a lead over what aligns clearly better says little`() {
    func lead(_ own: Int, rival: Int) -> Double {
      Rivals([candidate(own), candidate(rival)], scores: [13, 10]).standing(of: 0).lead
    }
    #expect(lead(35, rival: 54) < 0.3)
    // Keypoints that come and go do not matter, and a few agree by chance.
    #expect(lead(28, rival: 29) == 3 && lead(0, rival: 8) == 3)
    #expect((0.1..<2.9).contains(lead(28, rival: 36)))
    #expect(lead(54, rival: 28) == 3)
  }

  /// Would break if a thing that only shares a print with what the image shows were as sure as the thing itself: keypoints, colors and
  /// most of the hash say nothing of what surrounds the print.
  @Test func `a lead says little if another thing looks more the same around it`() {
    let printed = ImageBox(x: 0.25, y: 0.25, width: 0.25, height: 0.25)
    let whole = ImageBox(x: 0, y: 0, width: 0.75, height: 0.75)
    func lead(
      _ own: ImageBox, _ agreeing: Int?, around other: ImageBox, _ others: Int?, inliers: Int = 24
    ) -> Double {
      func candidate(_ inliers: Int, in box: ImageBox, _ agreeing: Int?) -> MeasuredEvidence {
        var candidate = self.candidate(inliers, in: box)
        candidate.patches = agreeing.map { PatchAgreement(visible: 100, agreeing: $0) }
        return candidate
      }
      // The third candidate is there to be a rival, because the first two are not rivals if their keypoints lie
      // apart.
      let all = [
        candidate(20, in: own, agreeing), candidate(inliers, in: other, others), self.candidate(0),
      ]
      return Rivals(all, scores: [13, 10, 9]).standing(of: 0).lead
    }
    #expect(lead(printed, 30, around: whole, 60) == 0)
    #expect((0.1..<2.9).contains(lead(printed, 30, around: whole, 38)))
    #expect((0.1..<2.9).contains(lead(printed, 30, around: whole, 60, inliers: 16)))
    // The same patches, a few keypoints, patches that were not compared, a thing beside it, and one in the same place.
    #expect(lead(printed, 60, around: whole, 60) == 3)
    #expect(lead(printed, 30, around: whole, 60, inliers: 8) == 3)
    #expect(
      lead(printed, 30, around: whole, nil) == 3 && lead(printed, nil, around: whole, 60) == 3)
    #expect(lead(right, 30, around: left, 60) == 3.75)
    #expect(lead(whole, 30, around: whole, 60) == 3)
  }

  /// Would break if keypoints that agree by chance, or in a logo, spoke for a candidate because no other has as many, or against the
  /// others: which rival has some changes from one copy of an image to the next, and so would the confidence.
  @Test(arguments: [(4, 0.0), (8, 0), (16, 0.5), (24, 1), (60, 1)])
  func `more keypoints than any rival count by how many they are`(inliers: Int, share: Double) {
    let rivals = Rivals([candidate(inliers), candidate(2)], scores: [5, 5])
    let ratio = Double(inliers + 10) / 12
    #expect(abs(rivals.standing(of: 0).inlierLead - share * log(ratio)) < 1e-9)
    #expect(abs(rivals.standing(of: 1).inlierLead - share * max(-1, -log(ratio))) < 1e-9)
  }

  @Test func `a candidate without a rival is alone`() {
    #expect(Rivals([candidate(20)], scores: [7]).standing(of: 0).isAlone)
    let apart = Rivals([candidate(60, in: left), candidate(12, in: right)], scores: [30, 15])
    #expect(apart.standing(of: 0).isAlone && apart.standing(of: 1).isAlone)
    #expect(!Rivals([candidate(20), candidate(0)], scores: [7, 1]).standing(of: 0).isAlone)
  }
}
