import AppIntents
import Foundation
import Observation
import VisualIntelligence
import VisualQueryClient

/// The place in the app. Its views show it, and scroll to the end of the results to load more.
@MainActor @Observable final class Navigation {
  /// The entity on the screen.
  private(set) var opened: Entity?
  /// The results of a search, of all pages so far.
  private(set) var results: [Entity] = []
  /// The possible matches, none of which is sure. Views list them apart, beneath ``possibleTitle``.
  private(set) var possible: [Entity] = []
  /// The title of the list of ``possible``.
  static let possibleTitle: LocalizedStringResource = "Not sure, one of these:"
  /// A sentence for the person, if something did not work.
  private(set) var message: String?
  private var continuation: String?

  nonisolated init() {}

  /// True if there are further results.
  var hasMore: Bool { continuation != nil }

  /// Shows an entity.
  func open(_ entity: Entity) { opened = entity }

  /// Shows the results of a scene.
  func search(_ content: SemanticContentDescriptor, in shop: ShopSearch) async {
    results = []
    possible = []
    continuation = nil
    await add { try await shop.matches(for: content) }
  }

  /// Adds the next page, without a second upload of the image.
  func showMore(from shop: ShopSearch) async {
    guard let token = continuation else { return }
    await add { try await shop.moreMatches(continuing: token) }
  }

  private func add(_ page: () async throws -> MatchedScene) async {
    do {
      let scene = try await page()
      message = nil
      results += scene.entities
      possible += scene.possible
      continuation = scene.continuation
    } catch let error as ClientError {
      message = error.userMessage
      // A search that is too old has no further pages.
      if error.code == .expired { continuation = nil }
    } catch {}
  }

  /// Returns the activity of the screen, by which the system knows what the person looks at.
  func activity() -> NSUserActivity? {
    guard let opened else { return nil }
    let activity = NSUserActivity(activityType: "com.example.shop.view")
    activity.title = opened.display.title
    activity.webpageURL = opened.url
    activity.isEligibleForSearch = true
    switch opened.type {
    case .product: activity.appEntityIdentifier = EntityIdentifier(for: ProductEntity(opened))
    case .store: activity.appEntityIdentifier = EntityIdentifier(for: StoreEntity(opened))
    }
    return activity
  }
}
