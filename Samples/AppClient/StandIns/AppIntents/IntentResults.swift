/// <https://developer.apple.com/documentation/appintents/intentresult>
public protocol IntentResult: Sendable {}

/// Stand-in only: what `.result()` gives.
public struct StandInResult: IntentResult {}

extension IntentResult where Self == StandInResult {
  /// <https://developer.apple.com/documentation/appintents/intentresult/result()>
  public static func result() -> StandInResult { StandInResult() }
}

/// <https://developer.apple.com/documentation/appintents/returnsvalue>
public protocol ReturnsValue<Value>: IntentResult {
  /// <https://developer.apple.com/documentation/appintents/returnsvalue/value-swift.associatedtype>
  associatedtype Value: _IntentValue, Sendable
  /// <https://developer.apple.com/documentation/appintents/intentresult/value-swift.property>
  var value: Value? { get }
}

/// Stand-in only: what `.result(value:)` gives.
public struct StandInValueResult<Value: _IntentValue & Sendable>: ReturnsValue {
  /// The value.
  public let value: Value?
}

extension IntentResult {
  /// <https://developer.apple.com/documentation/appintents/intentresult/result(value:)>
  public static func result<Value>(value: Value) -> StandInValueResult<Value>
  where Self == StandInValueResult<Value> { StandInValueResult(value: value) }
}

/// <https://developer.apple.com/documentation/appintents/intentdescription>
public struct IntentDescription: ExpressibleByStringInterpolation, Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentdescription/init(stringliteral:)>
  public init(stringLiteral value: String) {}
}

/// <https://developer.apple.com/documentation/appintents/parametersummary>
public protocol ParameterSummary: Sendable {
  /// Stand-in only: the words, with `${name}` for parameters.
  var standInText: String { get }
}

/// <https://developer.apple.com/documentation/appintents/intentparametersummary>
public struct IntentParameterSummary<Intent>: ParameterSummary where Intent: AppIntent {
  /// Stand-in only: the words.
  public let standInText: String

  /// <https://developer.apple.com/documentation/appintents/intentparametersummary/init(_:table:_:)>
  public init(
    _ summary: ParameterSummaryString<Intent>, table: String? = nil,
    @ParameterKeyPathsBuilder<Intent> _ parameters: () -> [PartialKeyPath<Intent>] = { [] }
  ) { standInText = summary.text }
}

/// <https://developer.apple.com/documentation/appintents/parameterkeypathsbuilder>
@resultBuilder public enum ParameterKeyPathsBuilder<Intent> where Intent: AppIntent {
  /// <https://developer.apple.com/documentation/appintents/parameterkeypathsbuilder/buildexpression(_:)>
  public static func buildExpression(_ path: PartialKeyPath<Intent>) -> PartialKeyPath<Intent> {
    path
  }
  /// A list.
  public static func buildBlock(_ paths: PartialKeyPath<Intent>...) -> [PartialKeyPath<Intent>] {
    paths
  }
}

/// <https://developer.apple.com/documentation/appintents/parametersummarystring>
public struct ParameterSummaryString<Intent>: ExpressibleByStringInterpolation, Sendable
where Intent: AppIntent {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/init(stringliteral:)>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/init(stringinterpolation:)>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/stringinterpolation>
  public typealias StringInterpolation = StandInInterpolation<ParameterSummaryString<Intent>>
}

extension StandInInterpolation {
  /// A parameter.
  public mutating func appendInterpolation<Intent, Value>(
    _ parameter: KeyPath<Intent, IntentParameter<Value>>
  ) where Subject == ParameterSummaryString<Intent> { text += "${parameter}" }
}
