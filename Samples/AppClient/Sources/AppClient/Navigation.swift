import AppIntents
import Foundation
import Observation
import VisualQueryClient

/// The place in the app. Its views show it, and scroll to the end of the results to load more.
@MainActor @Observable final class Navigation {
  /// The entity on the screen.
  private(set) var opened: Entity?
  /// The results of a search, of all pages so far.
  private(set) var results: [Entity] = []
  /// The possible matches, none of which is sure. Views list them apart, beneath ``possibleTitle``.
  private(set) var possible: [Entity] = []
  /// The same thing in other colors, if nothing is sure or possible. Views list them apart, beneath ``siblingTitle``.
  private(set) var siblings: [Entity] = []
  /// The title of the list of ``siblings``.
  static let siblingTitle: LocalizedStringResource = "In another color:"
  /// The title of the list of ``possible``.
  static let possibleTitle: LocalizedStringResource = "Not sure, one of these:"
  /// The last answer of the service: distances and opening hours of stores, variants, and outlines in the image.
  private(set) var answer: MatchAnswer?
  /// A sentence for the person, if something did not work.
  private(set) var message: String?
  private var continuation: String?

  nonisolated init() {}

  /// True if there are further results.
  var hasMore: Bool { continuation != nil }

  /// Shows an entity, for an intent.
  func open(_ entity: Entity) { opened = entity }

  /// Shows the results of a search in place of those before.
  func search(_ scene: () async throws -> MatchedScene) async {
    results = []
    possible = []
    siblings = []
    continuation = nil
    await add(scene)
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
      siblings += scene.siblings
      answer = scene.answer
      continuation = scene.continuation
    } catch let error as ClientError {
      message = error.userMessage
      // A search that is too old has no further pages.
      if error.code == .expired { continuation = nil }
    } catch let error as UnreadableImage {
      message = String(localized: error.localizedStringResource)
    } catch {}
  }

  /// The type of ``activity()``, which Info.plist lists in `NSUserActivityTypes` as `$(PRODUCT_BUNDLE_IDENTIFIER).view`.
  nonisolated static let activityType =
    (Bundle.main.bundleIdentifier ?? "com.example.shop") + ".view"
}

@available(iOS 26, macOS 26, *)
extension Navigation {
  /// Shows an entity that the person tapped in the app, and tells the system, which learns what to suggest.
  ///
  /// Intents call ``open(_:)``: what the system asked for is not donated.
  func select(_ entity: Entity) async {
    open(entity)
    switch entity.type {
    case .product:
      let intent = OpenProduct()
      intent.target = ProductEntity(entity)
      _ = try? await IntentDonationManager.shared.donate(intent: intent)
    case .store:
      let intent = OpenStore()
      intent.target = StoreEntity(entity)
      _ = try? await IntentDonationManager.shared.donate(intent: intent)
    default: break
    }
  }

  /// Returns the activity of the screen, by which the system knows what the person looks at.
  func activity() -> NSUserActivity? {
    guard let opened else { return nil }
    let activity = NSUserActivity(activityType: Self.activityType)
    activity.title = opened.display.title
    activity.webpageURL = opened.url
    activity.isEligibleForSearch = true
    switch opened.type {
    case .product: activity.appEntityIdentifier = EntityIdentifier(for: ProductEntity(opened))
    case .store: activity.appEntityIdentifier = EntityIdentifier(for: StoreEntity(opened))
    default: break
    }
    return activity
  }
}
