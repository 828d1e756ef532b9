public import AppleFoundation
public import Synchronization

/// <https://developer.apple.com/documentation/appintents/appshortcutsprovider>
public protocol AppShortcutsProvider: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/appshortcuts>
  @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/negativephrases>
  static var negativePhrases: NegativeAppShortcutPhrases { get }
}

extension AppShortcutsProvider {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/negativephrases>
  public static var negativePhrases: NegativeAppShortcutPhrases {
    NegativeAppShortcutPhrases(phrases: [])
  }

  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/updateappshortcutparameters()>
  public static func updateAppShortcutParameters() {
    standInUpdateCount.withLock { $0 += 1 }
  }
}

/// Stand-in only: how often the system was told the values of phrases.
public let standInUpdateCount = Mutex(0)

/// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrases>
public struct NegativeAppShortcutPhrases: Sendable {
  /// Stand-in only: the phrases.
  public let standInPhrases: [String]

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrases/init(phrases:)>
  public init(phrases: [NegativeAppShortcutPhrase]) { standInPhrases = phrases.map(\.text) }
}

/// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
public struct NegativeAppShortcutPhrase: ExpressibleByStringInterpolation, Sendable {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase/stringinterpolation>
  public typealias StringInterpolation = StandInInterpolation<NegativeAppShortcutPhrase>
}

extension StandInInterpolation where Subject == NegativeAppShortcutPhrase {
  /// The name of the app.
  public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {
    text += "${\(token)}"
  }
}

/// <https://developer.apple.com/documentation/appintents/appshortcutsbuilder>
@resultBuilder public enum AppShortcutsBuilder {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsbuilder/buildblock(_:)>
  public static func buildBlock(_ elements: AppShortcut...) -> [AppShortcut] { elements }
}

/// <https://developer.apple.com/documentation/appintents/appshortcut>: at most ten in an app.
public struct AppShortcut: Sendable {
  /// Stand-in only: the phrases, with `${applicationName}` for the name of the app.
  public let phrases: [String]

  /// <https://developer.apple.com/documentation/appintents/appshortcut/init(intent:phrases:shorttitle:systemimagename:)>
  public init<Intent>(
    intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource,
    systemImageName: String
  ) where Intent: AppIntent {
    self.phrases = phrases.map(\.text)
  }
}

/// <https://developer.apple.com/documentation/appintents/appshortcutphrasetoken>
public enum AppShortcutPhraseToken: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appshortcutphrasetoken/applicationname>
  case applicationName
}

/// <https://developer.apple.com/documentation/appintents/appshortcutphrase>
public struct AppShortcutPhrase<Intent>: ExpressibleByStringInterpolation, Sendable
where Intent: AppIntent {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/init(stringliteral:)>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/init(stringinterpolation:)>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation>
  public typealias StringInterpolation = StandInInterpolation<AppShortcutPhrase<Intent>>
}

extension StandInInterpolation {
  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation/appendinterpolation(_:)>
  public mutating func appendInterpolation<Intent>(_ token: AppShortcutPhraseToken)
  where Subject == AppShortcutPhrase<Intent> { text += "${\(token)}" }

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation/appendinterpolation(_:)>
  public mutating func appendInterpolation<Intent, Value>(
    _ parameter: KeyPath<Intent, IntentParameter<Value>>
  ) where Subject == AppShortcutPhrase<Intent> { text += "${target}" }
}
