/// The rules of a shop that may hold for one query, with the entities that each is about.
struct ActiveRules: Sendable {
  /// A rule with its entities.
  struct Rule: Sendable {
    let rule: ShopRule
    /// The entities that meet the conditions of the rule.
    let keys: KeySet
    /// The positions of the entities that the rule names, by their keys.
    let named: [UInt32: Int]

    /// Returns whether an entity belongs to the rule.
    func contains(_ key: UInt32) -> Bool { named[key] != nil || keys.contains(key) }
  }

  /// The rules, in their order.
  private let rules: [Rule]
  /// True if a rule hides something.
  let hides: Bool
  /// True if a rule changes the order of what is shown.
  let moves: Bool

  init(_ rules: [Rule] = []) {
    self.rules = rules
    hides = rules.contains { $0.rule.effect == .hide }
    moves = rules.contains { $0.rule.effect != .hide }
  }

  /// True if a rule is only for some categories.
  var hasCategories: Bool { rules.contains { !$0.rule.scope.categories.isEmpty } }

  /// True if a factor depends on a field.
  var readsFields: Bool {
    rules.contains {
      if case .boost(let boost) = $0.rule.effect { boost.field != nil } else { false }
    }
  }

  /// Returns the rules that hold if the surest match has some categories, in their normalized form.
  func limited(to categories: Set<String>) -> ActiveRules {
    ActiveRules(
      rules.filter { rule in
        rule.rule.scope.categories.isEmpty
          || rule.rule.scope.categories.contains { categories.contains(LabelText.normalized($0)) }
      })
  }

  /// Returns the name of the rule that hides an entity, or `nil` if none does.
  func hidingRule(of key: UInt32) -> String? {
    if !hides { return nil }
    return rules.first { $0.rule.effect == .hide && $0.contains(key) }?.rule.name
  }

  /// The standing of an entity by the rules.
  struct Standing: Sendable {
    /// The position among those that are pinned, or `nil` if it is not.
    let pin: (rule: Int, position: Int)?
    /// The product of the factors; 1 without any.
    let factor: Double
    /// The name of the rule with the strongest effect, or `nil` if none has one.
    let name: String?
  }

  /// Returns the standing of an entity.
  ///
  /// - Parameter value: The entity, if ``readsFields``.
  func standing(of key: UInt32, _ value: EntityValue?) -> Standing {
    var pin: (rule: Int, position: Int)?
    var (factor, strongest) = (1.0, 1.0)
    var name: String?
    for (index, rule) in rules.enumerated() where rule.contains(key) {
      switch rule.rule.effect {
      case .hide: break
      case .pin:
        if pin != nil { break }
        pin = (index, rule.named[key] ?? rule.named.count)
        name = rule.rule.name
      case .boost(let boost):
        let own = Self.factor(boost, of: value)
        factor *= own
        let strength = max(own, 1 / own)
        if pin == nil, strength > strongest {
          strongest = strength
          name = rule.rule.name
        }
      }
    }
    return Standing(pin: pin, factor: factor, name: name)
  }

  /// Returns the factor of a boost. An entity without the field has the factor 1.
  private static func factor(_ boost: ShopRule.Boost, of value: EntityValue?) -> Double {
    guard let field = boost.field else { return boost.factor }
    guard let number = value.flatMap({ Self.number(field, of: $0) }) else { return 1 }
    let range = boost.range
    let share = (number - range.lowerBound) / (range.upperBound - range.lowerBound)
    return 1 + (boost.factor - 1) * min(max(share, 0), 1)
  }

  /// Returns the number in a field of an entity; that of a price is its amount.
  private static func number(_ field: String, of value: EntityValue) -> Double? {
    guard case .object(let object) = value.json else { return nil }
    func number(_ value: JSONValue?) -> Double? {
      switch value {
      case .integer(let number)?: Double(number)
      case .number(let number)?: number
      case .string(let text)?: Double(text).flatMap { $0.isFinite ? $0 : nil }
      case .object(let parts)?: number(parts["amount"])
      default: nil
      }
    }
    return number(object[field])
  }
}
