#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The limits, filters and deadline of a query.
public struct MatchOptions: Sendable, Hashable {
  /// The most matches that any query returns.
  package static let maximumLimit = 100
  /// The most matches in all if none is asked for.
  package static let defaultLimit = MatchOptions().limit
  /// The most matches of a page of many things if none is asked for.
  package static let defaultPageLimit = MatchOptions().pageLimit
  /// The most matches of each type if none is asked for.
  package static let defaultTypeLimits = MatchOptions().typeLimits
  /// The time of a query if none is asked for.
  package static let defaultTimeout = MatchOptions().timeout!

  /// The most matches in all, `1...100`.
  public var limit: Int { didSet { limit = Self.bounded(limit) } }
  /// The most matches of each type, `0...100`; a type that is not listed has no limit of its own.
  public var typeLimits: [EntityType: Int]
  /// The most matches, in all and of products, if the image is a page of several things, or three are sure in it, and the
  /// other limits are lower; 0 leaves those limits as they are.
  package var pageLimit: Int
  /// The types that are searched. Only stores are also found by the products that they stock.
  public var types: Set<EntityType>
  /// The entities of each type that may be found; the search skips all others.
  public var filters: [EntityType: EntityFilter]
  /// The lowest confidence of a match, `0...1`. `nil` means the standard one, which
  /// ``MatchResponse/minimumConfidence`` tells.
  public var minimumConfidence: Double?
  /// The time, including the wait for a thread, after which the best ranking so far is returned; `nil` sets
  /// no deadline.
  public var timeout: Duration?
  /// The location of the person: equally likely stores are sorted by their distance from it.
  public var near: GeoPoint?
  /// The most meters of a store from ``near``, or `nil` for any. Stores that are farther, or whose location is not known, are left
  /// out.
  public var radius: Double?
  /// The instant for which matches tell whether a store is open, or `nil` to leave that out.
  public var date: Date?
  /// The language of titles, a BCP 47 tag, or `nil` for the shop's own.
  public var locale: String?
  /// The page of the app that asks, by which the shop's rules may differ, or `nil` if it is not told.
  package var appPage: String?
  /// The side of an experiment that the caller is on, or `nil` if there is none. It changes nothing by itself.
  package var arm: String?
  /// The circumstances by which the search is counted, or `nil` if it is not. They change nothing by themselves.
  package var counted: CountedAnswer?
  /// A Boolean value that indicates whether an answer has one match for each group of variants, the best one, with the
  /// others beneath it: ``Match/variants``. The limits then count groups. Without it, only variants with the same first image
  /// are one match.
  public var isGrouped: Bool

  /// The things that the image may show.
  package var subject: QuerySubject

  /// The parts of the answer: ``AnswerScope/sure`` leaves out what the image may show though it is not sure.
  package var answers: AnswerScope

  /// A Boolean value that indicates whether the search ends as soon as nothing can change the matches and the confidences that are shown, as it
  /// always does for ``AnswerScope/sure``. The answer is complete then, and its evidence lacks what was not measured, such as
  /// ``Evidence/Kind/votes``. Questions of the command and of the server do.
  package var endsEarly: Bool
  /// A Boolean value that indicates whether the answer lists entities of the same kind (``MatchResponse/similar``) even if something is
  /// sure.
  package var showsSimilar: Bool

  /// A Boolean value that indicates whether statements about answers (``FeedbackStatement``) have their effect.
  package var usesFeedback: Bool

  /// Makes options; the defaults are those of the command and of the service.
  public init(
    limit: Int = 8, typeLimits: [EntityType: Int] = [.product: 5, .store: 3],
    types: Set<EntityType> = Set(EntityType.allCases), filters: [EntityType: EntityFilter] = [:],
    minimumConfidence: Double? = nil,
    timeout: Duration? = .milliseconds(300), near: GeoPoint? = nil, radius: Double? = nil,
    date: Date? = nil,
    locale: String? = nil, isGrouped: Bool = false, pageLimit: Int = 12,
    usesFeedback: Bool = true, subject: QuerySubject = .anything,
    answers: AnswerScope = .all, showsSimilar: Bool = false, endsEarly: Bool = false,
    appPage: String? = nil
  ) {
    self.limit = Self.bounded(limit)
    self.typeLimits = typeLimits
    self.types = types
    self.filters = filters
    self.minimumConfidence = minimumConfidence
    self.timeout = timeout
    self.near = near
    self.radius = radius
    self.date = date
    self.locale = locale
    self.isGrouped = isGrouped
    self.pageLimit = pageLimit
    self.usesFeedback = usesFeedback
    self.subject = subject
    self.answers = answers
    self.endsEarly = endsEarly
    self.appPage = appPage
    self.showsSimilar = showsSimilar
  }

  private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), maximumLimit) }

  /// The options for a page of several things.
  package var forPage: MatchOptions {
    var options = self
    options.limit = max(limit, pageLimit)
    if let products = typeLimits[.product], products > 0 {
      options.typeLimits[.product] = max(products, pageLimit)
    }
    return options
  }

  /// Returns whether a store at a distance is near enough.
  package func isWithinRadius(_ distance: Double?) -> Bool {
    guard near != nil, let radius else { return true }
    return distance.map { $0 <= radius } ?? false
  }

  /// The most matches of a type.
  package func limit(of type: EntityType) -> Int {
    types.contains(type) ? max(0, min(limit, typeLimits[type] ?? limit)) : 0
  }
}
