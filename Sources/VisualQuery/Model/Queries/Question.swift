#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

package import PixelMatch

/// A question without its image, as far as somebody asked it: what is `nil` was not given.
///
/// ``fields`` lists its fields. A command line, the query of a URL, a form and JSON are read into it by that list, so that they
/// accept the same values, and the defaults of what was not given are applied once, in ``options(timeout:)``.
package struct Question: Sendable, Hashable {
  /// Words for what the image shows.
  package var labels: [String]?
  /// The product codes that were read on the device.
  package var codes: [String]?
  /// The lines of text that were read on the device.
  package var texts: [QuestionText]?
  /// The words that a person says beside the image.
  package var text: String?
  /// The part of the image that is meant.
  package var region: PictureRegion?
  /// The signature of an image that the client keeps.
  package var signature: QuerySignature?
  /// The embedding of the image, or of its region.
  package var embedding: ImageEmbedding?
  /// True if a truncated image is searched with the part that is there.
  package var isTolerant: Bool?

  /// The most products.
  package var products: Int?
  /// The most stores.
  package var stores: Int?
  /// The lowest confidence of a match.
  package var minimumConfidence: Double?
  /// The only type of the answer.
  package var type: EntityType?
  /// The labels of which an entity must have one.
  package var wantedLabels: [String]?
  /// The conditions that an entity must meet.
  package var conditions: [EntityComparator]?
  /// The location of the person.
  package var near: GeoPoint?
  /// The most meters of a store from there.
  package var radius: Double?
  /// The instant for which matches tell whether a store is open.
  package var date: Date?
  /// The language of titles.
  package var locale: String?
  /// The page of the app that asks.
  package var appPage: String?
  /// A text that stands for the caller, of which only the side of an experiment is kept.
  package var caller: String?
  /// True if an answer has one match for each group of variants.
  package var isGrouped: Bool?
  /// The things that the image may show.
  package var subject: QuerySubject?
  /// The parts of the answer.
  package var answers: AnswerScope?
  /// True if the answer lists entities of the same kind.
  package var showsSimilar: Bool?
  /// True if statements about answers have their effect.
  package var usesFeedback: Bool?

  /// The most matches in all, or of a page.
  package var limit: Int?
  /// The time that the answer may take.
  package var deadline: Duration?
  /// The properties whose values are counted among all that is found.
  package var facets: [String]?
  /// The beginning of the values that are counted.
  package var facetPrefix: String?
  /// The most values of each property.
  package var facetLimit: Int?

  /// The token of the search that is continued.
  package var continuation: String?
  /// True if the continued search begins with its first page again.
  package var beginsAgain: Bool?
  /// True if the continued search is made again, for what is new.
  package var refreshes: Bool?

  /// Makes a question in which nothing is given.
  package init() {}

  /// The most bytes in UTF-8 of labels, texts, wanted labels and conditions together, all of which a continuation holds.
  private static let wordByteLimit = 16_384

  /// Checks what no field can be checked for alone.
  ///
  /// - Throws: ``QuestionError`` with the code `excess` if the texts that a continuation holds are too long together.
  package func check() throws(QuestionError) {
    if radius != nil, near == nil {
      throw QuestionError(
        field: "radius", reason: "must be beside 'near', the place that stores are measured from")
    }
    let words = (labels ?? []) + (texts ?? []).map(\.text) + (wantedLabels ?? [])
    let byteCount =
      words.reduce(0) { $0 + $1.utf8.count } + (conditions ?? []).reduce(0) { $0 + $1.byteCount }
    guard byteCount <= Self.wordByteLimit else {
      throw QuestionError(
        code: .excess,
        reason:
          "'labels', 'texts', 'withLabel' and 'where' have \(byteCount) bytes; the limit is \(Self.wordByteLimit)",
        limit: Self.wordByteLimit)
    }
  }

  /// Returns the options that are asked for, with the defaults of what was not given.
  ///
  /// - Parameter timeout: As ``MatchOptions/timeout``; each door has its own default, and counts from a moment of its own.
  package func options(timeout: Duration?) -> MatchOptions {
    var options = MatchOptions(
      filters: Dictionary(uniqueKeysWithValues: EntityType.allCases.map { ($0, EntityFilter()) }),
      timeout: timeout)
    for field in Self.fields { field.apply(self, to: &options) }
    return options
  }

  /// The filter that is asked for, which is that of every type: the one that a search has, whichever fields made it.
  package var filter: EntityFilter {
    options(timeout: nil).filters[.product] ?? EntityFilter()
  }

  /// The question for facets; `nil` if none are asked for.
  package var facetQuestion: FacetQuestion? {
    guard let facets, !facets.isEmpty else { return nil }
    return FacetQuestion(
      facets.map { EntityProperty($0) }, prefix: facetPrefix,
      limit: facetLimit ?? FacetQuestion.defaultLimit)
  }
}

extension EntityComparator {
  /// The number of bytes of its text in UTF-8, about.
  fileprivate var byteCount: Int {
    func count(_ value: PropertyValue) -> Int {
      switch value {
      case .text(let text): text.utf8.count
      case .number(let number): (Int(exactly: number).map(String.init) ?? "\(number)").utf8.count
      }
    }
    let operands =
      switch comparison {
      case .equalTo(let value), .notEqualTo(let value), .lessThan(let value),
        .lessThanOrEqualTo(let value), .greaterThan(let value), .greaterThanOrEqualTo(let value):
        count(value)
      case .isBetween(let lower, let upper): count(lower) + count(upper)
      case .contains(let text), .hasPrefix(let text), .hasSuffix(let text): text.utf8.count
      }
    return property.name.utf8.count + 1 + operands
  }
}
