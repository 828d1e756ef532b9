#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

internal import PixelMatch

/// The effects of the shop's rules (``ShopRule``).
extension Matcher {
  /// Returns the rules that may hold for a query. Those of some categories depend on what is found.
  ///
  /// The deadline does not cut this short, because hidden entities must never be shown: it takes milliseconds for
  /// each rule with conditions, and the entities of conditions are kept for the next query of the generation.
  ///
  /// - Throws: ``CatalogueError``; `CancellationError`.
  @concurrent func activeRules(
    _ evidence: LabelEvidence, of labels: [String], _ options: MatchOptions
  ) async throws -> ActiveRules {
    let all = (rules ?? catalogue.rules).rules
    if all.isEmpty { return ActiveRules() }
    let date = ruleDate ?? Date()
    let words = Set(labels.map(LabelText.normalized) + evidence.known.map(\.label))
    var active: [ActiveRules.Rule] = []
    for rule in all {
      guard rule.holds(at: date), rule.isFor(page: options.appPage),
        rule.isFor(language: options.locale),
        rule.scope.labels.isEmpty
          || rule.scope.labels.contains(where: { words.contains(LabelText.normalized($0)) })
      else { continue }
      active.append(try await entities(of: rule, at: date))
    }
    return ActiveRules(active)
  }

  /// Returns a rule with its entities. A condition on a field that no entity has any more holds for none.
  @concurrent private func entities(
    of rule: ShopRule, at date: Date
  ) async throws -> ActiveRules.Rule {
    let keysByID = try catalogue.keys(of: rule.entities)
    var named: [UInt32: Int] = [:]
    for (position, id) in rule.entities.enumerated() {
      if let key = keysByID[id], named[key] == nil { named[key] = position }
    }
    var keys = KeySet()
    if let filter = rule.filter(at: date) {
      do {
        keys = try await catalogue.keys(matching: filter, shouldStop: { Task.isCancelled })
      } catch let error as MatchError where error.code == .invalidFilter {
        keys = KeySet()
      }
    } else if rule.entities.isEmpty {
      keys = .all
    }
    try Task.checkCancellation()
    return ActiveRules.Rule(rule: rule, keys: keys, named: named)
  }

  /// Returns the rules that hold for the next page of a list.
  @concurrent func rules(of continuation: Continuation) async throws -> ActiveRules {
    let labels = continuation.question.labels
    let rules = try await activeRules(
      catalogue.labelEvidence(labels), of: labels, continuation.options)
    return try settled(rules, by: continuation.entries.map(\.scored))
  }

  /// Removes what rules hide from the rest of a list, with the stores that only a hidden product brings.
  func removeHidden(from continuation: inout Continuation, by rules: ActiveRules) throws {
    if !rules.hides { return }
    let products = Set(continuation.entries.compactMap(\.scored.stocks))
    let hidden = Set(
      try catalogue.keys(of: products.sorted()).filter { rules.hidingRule(of: $0.value) != nil }
        .keys)
    continuation.removeLeft { entity in
      rules.hidingRule(of: entity.key) != nil || entity.stocks.map(hidden.contains) ?? false
    }
  }

  /// Returns the rules that hold, once it is known what is sure: rules of some categories hold if the surest match is in one.
  func settled(_ rules: ActiveRules, by sure: [ScoredEntity]) throws -> ActiveRules {
    guard rules.hasCategories else { return rules }
    let first = sure.max { ($0.confidence, $1.key) < ($1.confidence, $0.key) }
    let value = try first.flatMap { try catalogue.entities(keys: [$0.key])[$0.key] }
    return rules.limited(to: value.map(Self.categories) ?? [])
  }

  /// Returns the categories of an entity, in their normalized form.
  private static func categories(of value: EntityValue) -> Set<String> {
    var words = value.text.labels
    if case .object(let object) = value.json {
      for field in ["category", "productType"] {
        switch object[field] {
        case .string(let text)?: words.append(text)
        case .array(let elements)?:
          for case .string(let text) in elements { words.append(text) }
        default: break
        }
      }
    }
    return Set(words.map(LabelText.normalized))
  }

  /// Returns a list in the order that the rules give it, without what they hide.
  ///
  /// Entities change places with those of their type only, so that the limits leave as many of each as before. The surest match of
  /// each thing in the image keeps its place: no rule pushes what was photographed off a page.
  func ordered(_ ranked: [RankedEntity], by rules: ActiveRules) throws -> [RankedEntity] {
    let list =
      rules.hides ? ranked.filter { rules.hidingRule(of: $0.entity.key) == nil } : ranked
    guard rules.moves, list.count > 1 else { return list }
    let values = rules.readsFields ? try catalogue.entities(keys: list.map(\.entity.key)) : [:]
    let kept = Self.keptPlaces(of: list.map(\.entity))
    var result = list
    for type in EntityType.allCases {
      let places = list.indices.filter { list[$0].id.type == type && !kept.contains($0) }
      let movable = places.map { place in
        let entity = list[place].entity
        return (place: place, standing: rules.standing(of: entity.key, values[entity.key]))
      }
      let sorted = movable.sorted { a, b in
        switch (a.standing.pin, b.standing.pin) {
        case (let pin?, let other?):
          return (pin.rule, pin.position, a.place) < (other.rule, other.position, b.place)
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil):
          let (score, other) = (
            list[a.place].entity.confidence * a.standing.factor,
            list[b.place].entity.confidence * b.standing.factor
          )
          return score != other ? score > other : a.place < b.place
        }
      }
      for (place, moved) in zip(places, sorted) {
        var entity = list[moved.place].entity
        let isForward = moved.standing.pin != nil || moved.standing.factor > 1
        // An entity names a rule only if it moved in the direction of its own rule.
        // Otherwise, it was merely displaced by others.
        if place < moved.place && isForward || place > moved.place && !isForward {
          entity.rule = moved.standing.name
        }
        result[place] = RankedEntity(entity: entity, id: list[moved.place].id)
      }
    }
    return result
  }

  /// Returns the places that no rule changes: those of the surest match of each part of the image, of codes, and of what people chose.
  static func keptPlaces(of list: [ScoredEntity]) -> Set<Int> {
    var kept: Set<Int> = []
    var claims: [ImageClaim] = []
    for (place, entity) in list.enumerated() {
      if entity.tier == .code || entity.evidence.contains(where: { $0.kind == .pin }) {
        kept.insert(place)
        continue
      }
      guard let image = entity.image else { continue }
      if let claim = MatchedObjects.claim(of: image) {
        let isKnown = claims.contains { $0.overlap(with: claim) > Rivals.separateOverlap }
        if !isKnown {
          claims.append(claim)
          kept.insert(place)
        }
      } else if kept.isEmpty {
        kept.insert(place)
      }
    }
    return kept
  }
}
