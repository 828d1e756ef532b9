import AppIntents
import CoreSpotlight
import Foundation
import VisualQueryClient

extension Display {
  /// The texts, the image and the synonyms as the system shows them.
  var representation: DisplayRepresentation {
    DisplayRepresentation(
      title: "\(title)", subtitle: subtitle.map { "\($0)" },
      image: image.map { DisplayRepresentation.Image(url: $0) },
      synonyms: synonyms.map { "\($0)" })
  }
}

extension Entity {
  /// Says that an entity is one of those that a scene may show.
  static let unsureMark: LocalizedStringResource = "Not sure"

  /// The entity with a card that says so.
  var unsure: Entity {
    let words = [String(localized: Self.unsureMark), display.subtitle].compactMap { $0 }
    let display = Display(
      title: display.title, subtitle: words.joined(separator: " · "), image: display.image,
      synonyms: display.synonyms)
    return Entity(entityID, url: url, display: display, product: product, store: store)
  }

  /// The attributes that Spotlight searches and shows.
  func addAttributes(to attributes: CSSearchableItemAttributeSet) {
    attributes.displayName = display.title
    attributes.contentDescription = display.subtitle
    attributes.alternateNames = display.synonyms
    attributes.keywords = labels + [product?.brand].compactMap { $0 }
    attributes.thumbnailURL = display.image
    attributes.url = url
    if let place = store?.geo {
      attributes.latitude = NSNumber(value: place.latitude)
      attributes.longitude = NSNumber(value: place.longitude)
    }
  }

  /// The text that other apps receive.
  var plainText: String {
    let price = product?.price.map { "\($0.amount) \($0.currency)" }
    return [display.title, display.subtitle, price, url?.absoluteString].compactMap { $0 }
      .joined(separator: "\n")
  }
}
