#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far a query goes and how much it answers.
public struct MatchOptions: Sendable, Hashable {
  /// The most matches that any query gives.
  public static let maximumLimit = 100

  /// The most matches in all, `1...100`.
  public var limit: Int { didSet { limit = Self.bounded(limit) } }
  /// The most matches of each type, `0...100`; a type that is not listed has no limit of its own.
  public var typeLimits: [EntityType: Int]
  /// Types that are looked for. Stores alone are also found by the products that they stock.
  public var types: Set<EntityType>
  /// Which entities of a type may be found; the search looks at no others.
  public var filters: [EntityType: EntityFilter]
  /// The least confidence of a match, `0...1`; `nil` means ``Calibration/defaultCutOff`` where there
  /// is a picture and ``Calibration/labelsOnlyCutOff`` where there is none.
  public var minimumConfidence: Double?
  /// How long a query may take, its wait for a thread included, before the best so far is returned;
  /// `nil` means for ever.
  public var timeout: Duration?
  /// Where the person is: of stores that are equally likely the nearer ones come first.
  public var near: GeoPoint?
  /// The instant for which matches tell whether stores are open; `nil` leaves that out.
  public var date: Date?
  /// The language of what is shown, a BCP 47 tag; `nil` means the shop's own.
  public var locale: String?

  /// Makes options; the defaults are those of the command and of the service.
  public init(
    limit: Int = 8, typeLimits: [EntityType: Int] = [.product: 5, .store: 3],
    types: Set<EntityType> = Set(EntityType.allCases), filters: [EntityType: EntityFilter] = [:],
    minimumConfidence: Double? = nil,
    timeout: Duration? = .milliseconds(300), near: GeoPoint? = nil, date: Date? = nil,
    locale: String? = nil
  ) {
    self.limit = Self.bounded(limit)
    self.typeLimits = typeLimits
    self.types = types
    self.filters = filters
    self.minimumConfidence = minimumConfidence
    self.timeout = timeout
    self.near = near
    self.date = date
    self.locale = locale
  }

  private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), maximumLimit) }

  /// The most matches of a type.
  func limit(of type: EntityType) -> Int {
    types.contains(type) ? max(0, min(limit, typeLimits[type] ?? limit)) : 0
  }
}
