import TestSupport
import Testing
@testable import VisualQuery

@Suite struct CalibrationTests {
  /// The confidence of a candidate beside a rival with a given score.
  private func confidence(_ evidence: MeasuredEvidence, rival: Double?) -> Double {
    let scores = [evidence.score] + (rival.map { [$0] } ?? [])
    let lead = Calibration.Leaders(scores).lead(of: evidence.score)
    return Calibration.confidence(Calibration.evidence(evidence, lead: lead))
  }

  /// Would break if a coefficient or a regressor had the wrong sign.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `more of any evidence never lowers the confidence`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let evidence = MeasuredEvidence(
      hash: .random(in: 0...1, using: &generator), color: .random(in: 0...1, using: &generator),
      texture: .random(in: 0...1, using: &generator),
      votes: .random(in: 0...9000, using: &generator),
      inliers: .random(in: 0...60, using: &generator),
      agreement: .random(in: 0...1, using: &generator),
      alignedColor: .random(in: 0...1, using: &generator),
      labels: .random(in: -3...6, using: &generator))
    let rival = Double.random(in: -5...20, using: &generator)
    let base = confidence(evidence, rival: rival)
    #expect((0...1).contains(base))
    for lane in MeasuredEvidence.Lane.allCases {
      let value = try #require(evidence[lane])
      var more = evidence
      more[lane] =
        switch lane {
        case .votes, .inliers: value + .random(in: 1...40, using: &generator)
        case .labels: value + 1
        default: .random(in: value...1, using: &generator)
        }
      #expect(more.score >= evidence.score, "\(lane)")
      #expect(confidence(more, rival: rival) >= base, "\(lane)")
    }
    #expect(confidence(evidence, rival: rival - 1) >= base)
  }

  @Test func `the same picture is sure, even beside its double`() {
    let same = MeasuredEvidence(
      hash: 1, color: 1, texture: 1, votes: 20_000, inliers: 100, agreement: 0.8, alignedColor: 1)
    #expect(confidence(same, rival: same.score) > Calibration.defaultCutOff)
    #expect(confidence(same, rival: nil) > Calibration.defaultCutOff)
    let nothing = MeasuredEvidence(hash: 0, color: 0.3, texture: 0.5)
    #expect(confidence(nothing, rival: nil) < 0.2)
  }

  /// Would break if evidence that could not be measured appeared in answers, or counted in a score.
  @Test func `a lane that was not measured is missing and counts for nothing`() {
    var evidence = MeasuredEvidence(hash: 0.5, color: 0.5, texture: 0.5, labels: 1)
    #expect(evidence[.alignedColor] == nil && evidence[.labels] == 1 && evidence[.inliers] == 0)
    #expect(evidence.scoreWithoutLabels < evidence.score)
    evidence[.labels] = nil
    #expect(evidence.scoreWithoutLabels == evidence.score)
    #expect(
      Calibration.evidence(evidence, lead: 0).map(\.kind) == [
        .prior, .hash, .color, .texture, .votes, .inliers, .agreement, .lead,
      ])
  }

  /// Would break if the best candidate were compared with itself.
  @Test func `a lead is over the best of the others`() {
    let leaders = Calibration.Leaders([4, 5, 3.5])
    #expect(leaders.lead(of: 5) == 1)
    #expect(leaders.lead(of: 4) == -1 && leaders.lead(of: 3.5) == -1.5)
    #expect(Calibration.Leaders([5, 5]).lead(of: 5) == 0)
    #expect(Calibration.Leaders([5]).lead(of: 5) == 0)
    #expect(Calibration.Leaders([9, 1]).lead(of: 9) == 3)
  }

  @Test func `a label that many share is worth less`() {
    let shares = [1, 2, 5, 50, 5000].map {
      Calibration.confidence(Calibration.evidence(sharers: $0))
    }
    #expect(shares.sorted(by: >) == shares)
    #expect(abs(shares[1] - shares[0] / 2) < 1e-9)
  }

  @Test func `rarer labels count, unknown ones do not, known ones that disagree count against`()
    throws
  {
    let labels = evidence(["mug", "cup", "zebra"])
    #expect(labels.known.map(\.label) == ["mug", "cup"])
    #expect(labels.unmatched == ["zebra"])
    let rare = try #require(labels.rarity(of: ["mug", "cup"]))
    let common = try #require(labels.rarity(of: ["cup"]))
    #expect(0 < common && common < rare && rare < 2)
    #expect(labels.rarity(of: ["lamp"]) == -rare / 2)
    #expect(evidence(["zebra"]).rarity(of: ["mug"]) == nil)
  }

  @Test func `labels are taken through the bridge, and by their last words`() throws {
    func known(_ label: String) -> [String] { evidence([label]).known.map(\.label) }
    #expect(known("beaker") == ["mug"])
    #expect(known("red enamel mugs") == ["mug"])
    #expect(known("steel beaker") == ["mug"])
    #expect(known("coffee mug") == ["coffee mug"])
    #expect(
      evidence(["Zebra", "zebra stripes", "", "Zebra"]).unmatched == ["Zebra", "zebra stripes"])
  }

  /// A shop of 64 entities.
  private func evidence(_ labels: [String]) -> LabelEvidence {
    let frequencies = ["mug": 4, "cup": 16, "coffee mug": 2]
    return LabelEvidence(
      labels, entityCount: 64, frequency: { frequencies[$0] ?? 0 },
      bridged: { $0 == "beaker" ? ["mug", "tumbler"] : [] })
  }

  @Test func `label bits never leave out a row that has the label`() {
    let labels = (0..<500).map { "label \($0)" }
    for label in labels {
      let mask = LabelBits.mask(of: label)
      #expect((1...2).contains(mask.nonzeroBitCount))
      #expect(LabelBits.mask(of: [label, "other"]) & mask == mask)
    }
  }
}
