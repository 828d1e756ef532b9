/// Counts what the rows of a run would take from the entities that they replace, and decides at the end whether they may.
///
/// Until then, entities have both: the old values, and a mark with the form that their row gives them (``KeptTable``). So a generation that
/// is published meanwhile has lost nothing, and a run that is killed is continued by the next one.
struct LossGuard: Sendable {
  /// The losses that were asked for.
  let accepted: CoverageFields
  private var lost = Coverage()
  private var gained = Coverage()
  private var prices = PriceWatch()
  /// What the entities of rows had that were read: an entity may have belonged to another feed.
  private var had = Coverage()

  init(accepted: Set<CoverageField>) { self.accepted = CoverageFields(accepted) }

  /// Takes the entity of a row that replaces a stored one.
  ///
  /// - Returns: The entity with the old values of what it lacks, apart from images, and the fields that it lacks and whose
  ///   loss was not asked for.
  mutating func take(
    _ value: EntityValue, over old: EntityValue
  ) -> (value: EntityValue, lost: CoverageFields) {
    let (before, now) = (old.coverage, value.coverage)
    let type = value.id.type
    for field in before.fields where field != .entities { had[type, field] += 1 }
    var kept = before.subtracting(now)
    for field in kept.fields { lost[type, field] += 1 }
    if before != now {
      for field in now.subtracting(before).fields { gained[type, field] += 1 }
    }
    if case (.product(let product), .product(let old)) = (value, old),
      let new = product.price, let former = old.price, new != former, prices.take(former, new)
    {
      kept.formUnion(CoverageFields(.price))
    }
    kept.subtract(accepted)
    return (value.keeping(kept.subtracting(.images), of: old), kept)
  }

  /// Takes an entity whose images were looked at.
  mutating func count(_ signed: SignedEntity) {
    let type = signed.value.id.type
    if signed.hasLostSignature { lost[type, .signature] += 1 }
    guard let existing = signed.existing else { return }
    if !existing.images.isEmpty {
      had[type, .signature] += 1
    } else if !signed.images.isEmpty {
      gained[type, .signature] += 1
    }
  }

  /// Decides which losses are made.
  ///
  /// - Parameters:
  ///   - before: What the entities had before the run.
  ///   - history: The last runs of the feed.
  func decision(
    before: Coverage, history: [RunRecord], limits: LossLimits
  ) -> LossDecision {
    var decision = LossDecision()
    for type in EntityType.allCases {
      for field in CoverageField.all(of: type) where field != .entities {
        let (count, back) = (lost[type, field], gained[type, field])
        if accepted.contains(field) {
          decision.changes.append(
            .init(type: type, field: field, loss: count - back, isAccepted: count > 0))
          continue
        }
        let past = RunRecord.loss(of: field, type, in: history)
        let all = max(before[type, field], had[type, field])
        let sum = (lost: max(0, past.lost + count - back), of: past.of ?? all)
        if LossLimits.isBeyond(limits.once, count, of: all) {
          decision.keep(
            KeptLoss(
              type: type, field: field, count: count, of: all, limit: limits.once, span: .run))
        } else if count > 0, LossLimits.isBeyond(limits.together, sum.lost, of: sum.of) {
          decision.keep(
            KeptLoss(
              type: type, field: field, count: sum.lost, of: sum.of, limit: limits.together,
              span: .week))
        } else {
          decision.lost[type, default: []].formUnion(CoverageFields(field))
          if count != back {
            decision.changes.append(.init(type: type, field: field, loss: count - back))
          }
          continue
        }
        if back > 0 { decision.changes.append(.init(type: type, field: field, loss: -back)) }
      }
    }
    let priced = max(before[.product, .price], had[.product, .price])
    if !accepted.contains(.price), let jump = prices.jump(of: priced, percent: limits.once) {
      decision.keep(
        KeptLoss(
          type: .product, field: .price, count: jump.count, of: priced, limit: limits.once,
          span: .jump(jump.text)))
    } else {
      decision.takesPrices = true
    }
    return decision
  }
}

/// What a run takes from the entities of its feed, and what it does not.
struct LossDecision: Sendable {
  /// The fields that entities lose.
  fileprivate(set) var lost: [EntityType: CoverageFields] = [:]
  /// True if changed prices are taken.
  fileprivate(set) var takesPrices = false
  /// What was too much.
  fileprivate(set) var kept: [KeptLoss] = []
  /// The losses, for the next runs.
  fileprivate(set) var changes: [RunRecord.Change] = []

  fileprivate mutating func keep(_ loss: KeptLoss) { kept.append(loss) }

  /// Returns the fields of a mark that are not kept any longer.
  ///
  /// - Parameter row: The form that the row gives the entity.
  func taken(_ mark: CoverageFields, _ row: EntityValue) -> CoverageFields {
    var taken = mark.intersection(lost[row.id.type] ?? [])
    // A mark of a price whose row has one is that of a change.
    if mark.contains(.price), row.coverage.contains(.price) {
      taken.subtract(CoverageFields(.price))
      if takesPrices { taken.formUnion(CoverageFields(.price)) }
    }
    return taken
  }
}

/// A loss that was too large to be made.
package struct KeptLoss: Sendable, Hashable {
  /// What the limit is about.
  enum Span: Sendable, Hashable {
    case run, week
    /// Prices have jumped, as the text says.
    case jump(String)
  }

  package let type: EntityType
  package let field: CoverageField
  /// The number of entities that would have lost it.
  package let count: Int
  /// The number of entities that had it.
  package let of: Int
  let limit: Double
  let span: Span

  /// The loss in words, which continue "old values stay: ".
  package var text: String {
    let (things, percent) = (type == .product ? "products" : "stores", Self.text(limit))
    switch span {
    case .run:
      return
        "the feed lacks \(field.rawValue) of \(count) of \(of) \(things), and the limit is \(percent) %"
    case .week:
      return
        "\(count) of \(of) \(things) would have lost \(field.rawValue) within seven nights, and the limit is \(percent) %"
    case .jump(let text):
      return "\(count) of \(of) prices \(text)"
    }
  }

  /// A number of percent as people write it.
  static func text(_ percent: Double) -> String {
    Int(exactly: percent).map(String.init) ?? "\(percent)"
  }
}
