import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct CalibrationTests {
  /// The confidence of a candidate beside a rival with a given score and no keypoints.
  private func confidence(
    _ evidence: MeasuredEvidence, rival: Double?, of subject: QuerySubject = .anything
  ) -> Double {
    let candidates = [evidence] + (rival == nil ? [] : [nothing])
    let rivals = Rivals(candidates, scores: [evidence.score] + (rival.map { [$0] } ?? []))
    return Calibration.confidence(
      Calibration.evidence(evidence, rivals.standing(of: 0), of: subject))
  }

  private let nothing = MeasuredEvidence(hash: 0, color: 0.3, texture: 0.5)

  private func drawn(_ seed: UInt64) -> (MeasuredEvidence, SeededGenerator) {
    var generator = SeededGenerator(seed: seed)
    func draw(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    let evidence = MeasuredEvidence(
      hash: draw(0...1), color: draw(0...1), texture: draw(0...1), votes: Int(draw(0...9000)),
      inliers: Int(draw(0...60)), agreement: draw(0...1), residual: draw(0...0.1),
      labels: draw(-3...6), support: ImageSupport(share: draw(0...1), limit: draw(0...1)),
      colorfulness: draw(0...1))
    return (evidence, generator)
  }

  /// Would break if a coefficient or a regressor had the wrong sign.
  @Test(arguments: 0..<100 as Range<UInt64>, QuerySubject.allCases)
  func `more of any goodness never lowers the confidence`(
    seed: UInt64, subject: QuerySubject
  ) throws {
    var (evidence, generator) = drawn(seed)
    // Below it, keypoints that agree say that the color is another one.
    evidence.color = max(evidence.color, 0.4)
    func more(_ value: Double, to limit: Double = 1) -> Double {
      .random(in: value...limit, using: &generator)
    }
    let rival = Double.random(in: -5...20, using: &generator)
    let base = confidence(evidence, rival: rival, of: subject)
    #expect((0...1).contains(base))
    let changes: [(String, (inout MeasuredEvidence) -> Void)] = [
      ("hash", { $0.hash = more($0.hash) }), ("color", { $0.color = more($0.color) }),
      ("texture", { $0.texture = more($0.texture) }), ("votes", { $0.votes += 4000 }),
      ("inliers", { $0.inliers += 7 }), ("agreement", { $0.agreement = more($0.agreement) }),
      ("residual", { $0.residual = $0.residual.map { $0 / 2 } }), ("labels", { $0.labels! += 1 }),
      ("embedding", { $0.embedding = more($0.embedding ?? 0, to: 4) }),
      (
        "support",
        { $0.support = $0.support.map { ImageSupport(share: more($0.share), limit: $0.limit) } }
      ),
    ]
    for (name, change) in changes {
      var better = evidence
      change(&better)
      #expect(better.score >= evidence.score, "\(name)")
      #expect(confidence(better, rival: rival, of: subject) >= base, "\(name)")
    }
    #expect(confidence(evidence, rival: rival - 1, of: subject) >= base)
  }

  /// Would break if a lead beyond its limit said nothing, or said something of a thing in other colors, or of the best of many images, which
  /// is far ahead by chance.
  @Test func `a lead beyond its limit counts as far as the histograms agree`() {
    func gain(color: Double, support: ImageSupport? = nil) -> Double {
      let evidence = MeasuredEvidence(hash: 0, color: color, texture: 0.9, support: support)
      func odds(_ farLead: Double) -> Double {
        let standing = Standing(
          lead: 3, farLead: farLead, inlierLead: 0, patchLead: 0, isAlone: false)
        return Calibration.evidence(evidence, standing).reduce(0) { $0 + $1.weight }
      }
      return odds(1) - odds(0)
    }
    #expect(gain(color: 0.9) > 0.9 && gain(color: 0.6) == 0)
    #expect(gain(color: 0.77) > 0.3 && gain(color: 0.77) < 0.7)
    #expect(gain(color: 0.9, support: ImageSupport(share: 0, limit: 1)) == 0)
  }

  /// Would break if a sibling in another color were as sure as the thing itself.
  @Test func `colors that contradict an alignment count against it`() {
    let same = MeasuredEvidence(
      hash: 0.2, color: 0.8, texture: 0.8, inliers: 30, agreement: 0.4, residual: 0.01)
    var sibling = same
    (sibling.color, sibling.residual) = (0.1, 0.09)
    #expect(confidence(same, rival: 8) > Calibration.defaultCutOff)
    #expect(confidence(sibling, rival: 8) < Calibration.defaultCutOff - 0.05)
    var unaligned = sibling
    (unaligned.inliers, unaligned.residual) = (0, nil)
    #expect(unaligned[.offColor] == nil && sibling[.offColor]! < -0.7)
    // A picture without color says nothing of colors.
    var grey = sibling
    grey.colorfulness = 0
    #expect(confidence(grey, rival: grey.score) > confidence(sibling, rival: sibling.score))
  }

  /// Would break if another color put a sibling behind what has nothing in common with the image.
  @Test func `another color counts no more against what is unlikely anyway`() throws {
    let sibling = MeasuredEvidence(
      hash: 0.2, color: 0.1, texture: 0.8, inliers: 30, agreement: 0.4, residual: 0.09)
    func weight(lead: Double) throws -> Double {
      let standing = Standing(lead: lead, inlierLead: 0, patchLead: 0, isAlone: false)
      let terms = Calibration.evidence(sibling, standing)
      return try #require(terms.first { $0.kind == .offColor }).weight
    }
    #expect(try weight(lead: 0) < -1.2)
    #expect(try weight(lead: 0) < weight(lead: -1) && weight(lead: -1) < 0)
    #expect(try weight(lead: -3) == 0)
  }

  /// Would break if patches, which siblings in other colors have as well, made something sure whose colors are others. A gray image
  /// has none.
  @Test func `patches count only if the colors agree`() {
    func gain(color: Double, residual: Double = 0.09, colorfulness: Double = 1) -> Double {
      var evidence = MeasuredEvidence(
        hash: 0.2, color: color, texture: 0.8, inliers: 30, agreement: 0.4, residual: residual,
        colorfulness: colorfulness)
      func odds(_ patchLead: Double) -> Double {
        let standing = Standing(lead: 2, inlierLead: 0, patchLead: patchLead, isAlone: false)
        return Calibration.evidence(evidence, standing).reduce(0) { $0 + $1.weight }
      }
      evidence.patches = PatchAgreement(visible: 100, agreeing: 99)
      return odds(1) - odds(0)
    }
    let whole = gain(color: 0.6)
    #expect(whole > 2)
    #expect(abs(gain(color: 0.15)) < 1e-9)
    #expect((0.1..<whole - 0.1).contains(gain(color: 0.25)))
    #expect(abs(gain(color: 0.15, residual: 0.01) - whole) < 1e-9)
    #expect(abs(gain(color: 0, colorfulness: 0) - whole) < 1e-9)
  }

  /// Would break if keypoints, patches, a label or a lead made up for a part of another color, or if the terms did not add up.
  @Test func `nothing makes up for a part of another color`() throws {
    let same = MeasuredEvidence(
      hash: 0.8, color: 0.8, texture: 0.9, inliers: 90, agreement: 0.6, residual: 0.03, labels: 2,
      patches: PatchAgreement(visible: 100, agreeing: 99))
    var sibling = same
    sibling.contradiction = 0.2
    #expect(confidence(same, rival: 4) > 0.95)
    #expect(confidence(sibling, rival: 4) < 0.3)
    // Few keypoints may have aligned another part.
    sibling.inliers = 3
    sibling.hash = 0
    #expect(sibling.contradictedShare == 0)
    sibling = same
    sibling.contradiction = 0.04
    #expect(confidence(sibling, rival: 4) == confidence(same, rival: 4))
  }

  /// Would break if a lead said as much of what only has no rival as of what has the colors and some keypoints, too.
  @Test func `a lead counts more if colors and keypoints agree`() {
    func gain(color: Double, inliers: Int) -> Double {
      let evidence = MeasuredEvidence(
        hash: 0, color: color, texture: 0.9, inliers: inliers, agreement: 0.1, residual: 0.06)
      func odds(_ lead: Double) -> Double {
        let standing = Standing(lead: lead, inlierLead: 0, patchLead: 0, isAlone: false)
        return Calibration.evidence(evidence, standing).reduce(0) { $0 + $1.weight }
      }
      #expect(abs(odds(-1) - odds(0) + Calibration.coefficients.lead) < 1e-9)
      return odds(3) - odds(0)
    }
    let plain = gain(color: 0.6, inliers: 12)
    #expect(gain(color: 0.95, inliers: 12) > plain + 1)
    #expect(abs(gain(color: 0.95, inliers: 0) - plain) < 1e-9)
  }

  /// Would break if a light of another color, in which no histogram is alike, counted against a thing whose colors
  /// agree at aligned places.
  @Test func `colors that agree at aligned places speak for a histogram that does not`() {
    var lit = MeasuredEvidence(
      hash: 0.9, color: 0.1, texture: 0.8, inliers: 60, agreement: 0.4, residual: 0.015)
    #expect(lit[.offColor]! > -0.3)
    #expect(confidence(lit, rival: 6) > Calibration.defaultCutOff)
    // A sibling whose histogram is nearer, since the light has its color.
    var sibling = lit
    (sibling.color, sibling.residual) = (0.45, 0.09)
    #expect(lit.score > sibling.score + 2)
    lit.residual = 0.09
    #expect(lit[.offColor]! < -0.7)
  }

  /// Would break if a shop's own photos were doubted as much as whatever people point at, or if the setting made something
  /// of nothing.
  @Test func `a likeness is surer if the image shows a thing of the catalogue`() {
    let fruit = MeasuredEvidence(hash: 0, color: 0.8, texture: 0.9, labels: 2)
    let rival = fruit.score - 2
    #expect(confidence(fruit, rival: rival) < Calibration.defaultCutOff)
    #expect(confidence(fruit, rival: rival, of: .catalogued) > Calibration.defaultCutOff)
    #expect(confidence(nothing, rival: nothing.score, of: .catalogued) < 0.2)
  }

  /// Would break if a label made a likely answer sure: of things that look alike, one that is missing from the catalogue has
  /// the same label. It would also break if keypoints that agree did not confirm it.
  @Test func `a label makes an answer likely, and with keypoints surer`() {
    func gain(color: Double, lead: Double, inliers: Int = 0) -> Double {
      let without = MeasuredEvidence(hash: 0, color: color, texture: 0.9, inliers: inliers)
      var with = without
      with.labels = 2
      // The lead is the same with and without the label, so that only the label's own weight is compared.
      let standing = Standing(lead: lead, inlierLead: 0, patchLead: 0, isAlone: false)
      let (base, raised) = (
        Calibration.evidence(without, standing), Calibration.evidence(with, standing)
      )
      return Calibration.logOdds(of: Calibration.confidence(raised))
        - Calibration.logOdds(of: Calibration.confidence(base))
    }
    let weak = gain(color: 0.3, lead: 0)
    #expect(weak > 2)
    #expect((0.03 * weak..<0.15 * weak).contains(gain(color: 0.97, lead: 4)))
    #expect(gain(color: 0.97, lead: 3, inliers: 8) < 0.2 * weak)
    #expect((0.3 * weak..<weak).contains(gain(color: 0.97, lead: 3, inliers: 24)))
    // Siblings in other colors have the label, and keypoints that agree.
    #expect(gain(color: 0.2, lead: 4, inliers: 24) < 0.15 * weak)
  }

  /// Would break if a wrong label carried a thing of which one picture of many looks a little like the image.
  @Test func `a label of an entity with many images counts less if only one of them is near`() {
    let standing = Standing(lead: 0, inlierLead: 0, patchLead: 0, isAlone: false)
    func weight(_ support: ImageSupport?, inliers: Int = 0) -> Double {
      MeasuredEvidence(
        hash: 0, color: 0.5, texture: 0.5, inliers: inliers, labels: 2, support: support
      ).certainties(standing)[.labels]
    }
    let alone = weight(nil)
    #expect(weight(ImageSupport(share: 0, limit: 1)) < 0.5 * alone)
    #expect(weight(ImageSupport(share: 1, limit: 1)) == alone)
    #expect(weight(ImageSupport(share: 0, limit: 0.05)) > 0.95 * alone)
    // Keypoints confirm it as well.
    #expect(weight(ImageSupport(share: 0, limit: 1), inliers: 28) == weight(nil, inliers: 28))
  }

  @Test func `the same picture is sure, even beside its double`() {
    let same = MeasuredEvidence(
      hash: 1, color: 1, texture: 1, votes: 20_000, inliers: 100, agreement: 0.8, residual: 0)
    #expect(confidence(same, rival: same.score) > Calibration.defaultCutOff)
    #expect(confidence(same, rival: nil) > Calibration.defaultCutOff)
    #expect(confidence(nothing, rival: nil) < 0.2)
  }

  /// Would break if another image could lower an entity's score, counted as much as the best one, or counted beside keypoints
  /// that agree.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `other images of an entity add to weak evidence only`(seed: UInt64) {
    var (evidence, generator) = drawn(seed)
    var other = drawn(generator.next()).0
    other.colorfulness = evidence.colorfulness
    #expect(evidence.score(with: evidence.features) == evidence.score)
    let highest = evidence.features.highest(with: other.features)
    let score = evidence.score(with: highest)
    #expect(score >= evidence.score)
    #expect(score <= highest.dot(Calibration.coefficients.step1))
    evidence.inliers = 15
    #expect(evidence.score(with: highest) == evidence.score)
    evidence.inliers = 0
    var textured = evidence
    textured.texture = min(1, evidence.texture + 0.1)
    let gain = evidence.score(with: textured.features.highest(with: evidence.features))
    #expect(gain <= textured.score)
    if evidence.colorfulness > 0.01, evidence.texture < 0.9 { #expect(gain > evidence.score) }
  }

  /// Would break if evidence that could not be measured appeared in answers, or counted in a score.
  @Test func `a lane that was not measured is missing and counts for nothing`() {
    var evidence = MeasuredEvidence(hash: 0.5, color: 0.5, texture: 0.5, labels: 1)
    #expect(evidence[.alignedColor] == nil && evidence[.labels] == 1 && evidence[.inliers] == 0)
    #expect(evidence.scoreOfContent < evidence.score)
    evidence.labels = nil
    #expect(evidence.scoreOfContent == evidence.score)
    let standing = Rivals([evidence], scores: [evidence.score]).standing(of: 0)
    #expect(
      Calibration.evidence(evidence, standing).map(\.kind) == [
        .prior, .hash, .color, .texture, .votes, .inliers, .agreement, .inlierLead, .lead,
      ])
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
    let rare = try #require(labels.rarity(of: ["mug": 1, "cup": 1]))
    let common = try #require(labels.rarity(of: ["cup": 1]))
    #expect(0 < common && common < rare && rare < 2)
    #expect(labels.rarity(of: ["lamp": 1]) == -rare / 2)
    #expect(evidence(["zebra"]).rarity(of: ["mug": 1]) == nil)
  }

  @Test func `a label that agrees in part counts by its share of the words`() throws {
    let whole = try #require(evidence(["mug"]).rarity(of: ["mug": 1]))
    #expect(evidence(["mug"]).rarity(of: ["coffee mug": 2, "mug": 2]) == whole / 2)
    #expect(evidence(["enamel mug"]).rarity(of: ["mug": 1]) == whole / 2)
    #expect(evidence(["enamel mug"]).rarity(of: ["coffee mug": 2, "mug": 2]) == whole / 2)
    #expect(evidence(["beaker"]).rarity(of: ["mug": 1]) == whole)
    let coffeeMug = try #require(evidence(["coffee mug"]).rarity(of: ["coffee mug": 2, "mug": 2]))
    #expect(coffeeMug > whole)
    #expect(
      evidence(["mug", "cup"]).rarity(of: ["cup": 1, "coffee mug": 2, "mug": 2])! >= whole / 2)
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

  /// Would break if an embedding made something sure, or took what is sure without it, or changed the order of what is likely.
  @Test func `an embedding makes nothing sure`() {
    func terms(_ odds: Double) -> [Evidence] {
      [
        Evidence(kind: .prior, value: 1, weight: odds - 1),
        Evidence(kind: .embedding, value: 3, weight: 0), Evidence(kind: .lead, value: 1, weight: 1),
      ]
    }
    func bounded(_ odds: Double, _ others: Double) -> Double {
      Calibration.confidence(Calibration.bounded(terms(odds), ifLikely: terms(others)))
    }
    func probability(_ odds: Double) -> Double { Calibration.probability(ofLogOdds: odds) }
    #expect(bounded(1, -4) == probability(1))
    #expect(bounded(9, -4) < Calibration.defaultCutOff && bounded(9, -4) > 0.8)
    #expect(abs(bounded(9, 5) - probability(5)) < 1e-12)
    #expect(bounded(3, 9) == probability(3))
    #expect(bounded(1.5, 0) < bounded(2, 0) && bounded(2, 0) < bounded(4, 0))
    #expect(Calibration.bounded(terms(9), ifLikely: terms(0)).count == 3)
  }

  /// Would break if an embedding that is nearer to another thing could make this one sure, as it did of absent packages, or if what keypoints align,
  /// which has the highest value but for rounding, could not be made sure.
  @Test func `only the nearest embedding can make something sure`() {
    var measured = MeasuredEvidence(hash: 0, color: 0.8, texture: 0.9)
    measured.embedding = 2.2
    #expect(Calibration.canMakeSure(measured, weighed: 2.2, nearest: 2.2))
    #expect(Calibration.canMakeSure(measured, weighed: 0.6 + 1.8 - 1e-12, nearest: 2.4))
    #expect(!Calibration.canMakeSure(measured, weighed: 2.2, nearest: 2.4))
    measured.embeddingFactor = 2
    #expect(!Calibration.canMakeSure(measured, weighed: 4.4, nearest: 4.4))
  }
}
