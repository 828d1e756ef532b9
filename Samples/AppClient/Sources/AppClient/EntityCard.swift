import AppIntents
import CoreSpotlight
import Foundation
import VisualQueryClient

nonisolated extension Price {
  /// The price as people of a language write it, such as `1.234,50 €`.
  func text(in locale: Locale = .current) -> String {
    value?.formatted(.currency(code: currency).locale(locale)) ?? "\(amount) \(currency)"
  }
}

@available(iOS 26, macOS 26, *)
nonisolated extension Price {
  /// The price as the system knows money.
  var money: IntentCurrencyAmount? {
    value.map { IntentCurrencyAmount(amount: $0, currencyCode: currency) }
  }
}

@available(iOS 26, macOS 26, *)
nonisolated extension Entity {
  /// Says that an entity is one of those that a scene may show.
  static let unsureMark: LocalizedStringResource = "Not sure"

  /// The words on the card of an entity that shows the same thing in another color.
  static let otherColorMark: LocalizedStringResource = "In another color"

  /// The card: its texts and synonyms, the price in the app's language, and the bytes of an image, since the system has no key with which
  /// it could load one from the service.
  func representation(image: Data?) -> DisplayRepresentation {
    let line = [display.subtitle, product?.price?.text()].compactMap { $0 }
      .joined(separator: " · ")
    return DisplayRepresentation(
      title: "\(display.title)", subtitle: line.isEmpty ? nil : "\(line)",
      image: image.map { DisplayRepresentation.Image(data: $0) },
      synonyms: display.synonyms.map { "\($0)" })
  }

  /// The entity with a card that says so.
  var unsure: Entity { marked(Self.unsureMark) }
  /// The entity with a card that says so.
  var otherColor: Entity { marked(Self.otherColorMark) }

  private func marked(_ mark: LocalizedStringResource) -> Entity {
    let words = [String(localized: mark), display.subtitle].compactMap { $0 }
    let display = Display(
      title: display.title, subtitle: words.joined(separator: " · "), image: display.image,
      thumbnail: display.thumbnail, synonyms: display.synonyms)
    return Entity(entityID, url: url, display: display, product: product, store: store)
  }

  /// The attributes that Spotlight searches and shows, besides those of the properties with an indexing key.
  func addAttributes(to attributes: CSSearchableItemAttributeSet, image: Data?) {
    attributes.alternateNames = display.synonyms
    attributes.keywords = labels + [product?.brand].compactMap { $0 }
    // Never an address of the web: Spotlight loads none.
    attributes.thumbnailData = image
    attributes.url = url
    if let place = store?.geo {
      attributes.latitude = NSNumber(value: place.latitude)
      attributes.longitude = NSNumber(value: place.longitude)
    }
  }
}

nonisolated extension Entity {
  /// The text that other apps receive.
  var plainText: String {
    [display.title, display.subtitle, product?.price?.text(), url?.absoluteString]
      .compactMap { $0 }.joined(separator: "\n")
  }
}

// Siri and Shortcuts show this sentence; of any other error, they say that something is wrong.
#if APP_INTENTS_STAND_IN
  nonisolated extension ClientError: CustomLocalizedStringResourceConvertible {}
#else
  nonisolated extension ClientError: @retroactive CustomLocalizedStringResourceConvertible {}
#endif
nonisolated extension ClientError {
  /// The sentence for people, in the language of the app.
  public var localizedStringResource: LocalizedStringResource { "\(userMessage)" }
}
