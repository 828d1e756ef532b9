/// How far a query goes and how much it answers.
public struct MatchOptions: Sendable, Hashable {
  /// The most matches that any query gives.
  public static let maximumLimit = 100

  /// The most matches in all, `1...100`.
  public var limit: Int
  /// The most matches of each type, `0...100`; a type that is not listed has no limit of its own.
  public var typeLimits: [EntityType: Int]
  /// Types that are looked for.
  public var types: Set<EntityType>
  /// The least confidence of a match, `0...1`; `nil` means ``Calibration/defaultCutOff`` where there
  /// is a picture and ``Calibration/labelsOnlyCutOff`` where there is none.
  public var minimumConfidence: Double?
  /// How long a query may take before the best so far is returned; `nil` means for ever.
  public var timeout: Duration?

  /// Makes options; the defaults are those of the command and of the service.
  public init(
    limit: Int = 8, typeLimits: [EntityType: Int] = [.product: 5, .store: 3],
    types: Set<EntityType> = Set(EntityType.allCases),
    minimumConfidence: Double? = nil,
    timeout: Duration? = .milliseconds(300)
  ) {
    self.limit = min(max(limit, 1), Self.maximumLimit)
    self.typeLimits = typeLimits
    self.types = types
    self.minimumConfidence = minimumConfidence
    self.timeout = timeout
  }
}
