public import AppleFoundation
internal import Synchronization
public import UniformTypeIdentifiers

/// <https://developer.apple.com/documentation/appintents/appintent>
public protocol AppIntent: PersistentlyIdentifiable, _SupportsAppDependencies, Sendable {
  /// <https://developer.apple.com/documentation/appintents/appintent/performresult>
  associatedtype PerformResult: IntentResult
  /// <https://developer.apple.com/documentation/appintents/appintent/summarycontent>
  associatedtype SummaryContent: ParameterSummary
  /// <https://developer.apple.com/documentation/appintents/appintent/parametersummary>
  static var parameterSummary: SummaryContent { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/title>
  static var title: LocalizedStringResource { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/description>
  static var description: IntentDescription? { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/supportedmodes>
  static var supportedModes: IntentModes { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/init()>
  init()
  /// <https://developer.apple.com/documentation/appintents/appintent/perform()>
  func perform() async throws -> PerformResult
}

extension AppIntent {
  /// <https://developer.apple.com/documentation/appintents/appintent/summary>
  public typealias Summary = IntentParameterSummary<Self>
  /// <https://developer.apple.com/documentation/appintents/appintent/parametersummary>
  public static var parameterSummary: some ParameterSummary { Summary("") }
  /// <https://developer.apple.com/documentation/appintents/appintent/description>
  public static var description: IntentDescription? { nil }
  /// <https://developer.apple.com/documentation/appintents/appintent/supportedmodes>
  public static var supportedModes: IntentModes { .background }
  /// <https://developer.apple.com/documentation/appintents/appintent/parameter>
  public typealias Parameter<Value> = IntentParameter<Value>
  where Value: _IntentValue, Value: Sendable
}

/// <https://developer.apple.com/documentation/appintents/systemintent>
public protocol SystemIntent: AppIntent {}

/// <https://developer.apple.com/documentation/appintents/openintent>
public protocol OpenIntent: SystemIntent {
  /// <https://developer.apple.com/documentation/appintents/openintent/value>
  associatedtype Value: AppValue
  /// <https://developer.apple.com/documentation/appintents/openintent/target>
  var target: Value { get set }
}

/// <https://developer.apple.com/documentation/appintents/targetcontentprovidingintent>: not on macOS.
public protocol TargetContentProvidingIntent: AppIntent {
  /// <https://developer.apple.com/documentation/appintents/targetcontentprovidingintent/contentidentifier>
  var contentIdentifier: String { get }
}

/// <https://developer.apple.com/documentation/appintents/intentparameter>
///
/// A class without an initializer that takes a wrapped value.
@propertyWrapper public final class IntentParameter<Value>: @unchecked Sendable
where Value: _IntentValue, Value: Sendable {
  private let value = Mutex<Value?>(nil)

  /// <https://developer.apple.com/documentation/appintents/intentparameter/wrappedvalue>
  public var wrappedValue: Value {
    get { value.withLock { $0! } }
    set { value.withLock { $0 = newValue } }
  }

  /// <https://developer.apple.com/documentation/appintents/intentparameter/projectedvalue>
  public var projectedValue: IntentParameter<Value> { self }

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:)>
  public init(title: LocalizedStringResource, description: LocalizedStringResource? = nil) {}

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:requestvaluedialog:inputconnectionbehavior:optionsprovider:)>
  public init<Provider>(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    optionsProvider: Provider
  ) where Provider: DynamicOptionsProvider, Provider.Result.Result.ValueType == Value.ValueType {}

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:supportedcontenttypes:requestvaluedialog:inputconnectionbehavior:)>
  public init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    supportedContentTypes: [UTType], inputConnectionBehavior: InputConnectionBehavior = .default
  ) where Value.ValueType == IntentFile {}
}

/// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior>
public enum InputConnectionBehavior: Sendable {
  /// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior/default>
  case `default`
  /// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior/connecttopreviousintentresult>
  case connectToPreviousIntentResult
}

/// <https://developer.apple.com/documentation/appintents/intentdonationidentifier>
public struct IntentDonationIdentifier: Hashable, Sendable {}

/// <https://developer.apple.com/documentation/appintents/intentdonationmanager>
public struct IntentDonationManager: Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentdonationmanager/shared>
  public static let shared = IntentDonationManager()
  private static let count = Mutex(0)

  /// Stand-in only: the number of donations.
  public static var standInCount: Int { count.withLock { $0 } }

  /// <https://developer.apple.com/documentation/appintents/intentdonationmanager/donate(intent:)>
  @discardableResult public func donate(
    intent: some AppIntent
  ) async throws -> IntentDonationIdentifier {
    Self.count.withLock { $0 += 1 }
    return IntentDonationIdentifier()
  }
}

/// <https://developer.apple.com/documentation/appintents/intentmodes>
public struct IntentModes: OptionSet, Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode>
  public enum ForegroundMode: Sendable {
    /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode/immediate>
    case immediate
    /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode/dynamic>
    case dynamic
  }

  /// <https://developer.apple.com/documentation/swift/optionset>
  public let rawValue: Int

  /// <https://developer.apple.com/documentation/swift/optionset>
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// <https://developer.apple.com/documentation/appintents/intentmodes/background>
  public static let background = IntentModes(rawValue: 1)

  /// <https://developer.apple.com/documentation/appintents/intentmodes/foreground(_:)>
  public static func foreground(_ mode: ForegroundMode) -> IntentModes { IntentModes(rawValue: 2) }
}
