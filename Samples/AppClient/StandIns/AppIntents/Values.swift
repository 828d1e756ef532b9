@_exported public import AppleFoundation
public import UniformTypeIdentifiers

/// The types that parameters and properties may have; not documented, but named in the declarations of
/// <https://developer.apple.com/documentation/appintents/intentparameter>.
public protocol _IntentValue {
  /// The type of the values; an entity's is the entity itself.
  associatedtype ValueType = Self
  /// The type without its optional.
  associatedtype UnwrappedType = Self
}

extension String: _IntentValue {}
extension Int: _IntentValue {}
extension Double: _IntentValue {}
extension Bool: _IntentValue {}
extension URL: _IntentValue {}
extension Optional: _IntentValue where Wrapped: _IntentValue {
  /// <https://developer.apple.com/documentation/swift/optional>
  public typealias ValueType = Wrapped.ValueType
  /// <https://developer.apple.com/documentation/swift/optional>
  public typealias UnwrappedType = Wrapped
}
extension Array: _IntentValue where Element: _IntentValue {
  /// <https://developer.apple.com/documentation/swift/array>
  public typealias ValueType = Element.ValueType
}

/// <https://developer.apple.com/documentation/appintents/intentcurrencyamount>: not `Comparable`.
public struct IntentCurrencyAmount: Sendable, _IntentValue {
  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/amount>
  public let amount: Decimal
  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/currencycode>
  public let currencyCode: String

  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/init(amount:currencycode:)>
  public init(amount: Decimal, currencyCode: String) {
    (self.amount, self.currencyCode) = (amount, currencyCode)
  }
}

/// <https://developer.apple.com/documentation/appintents/intentfile>
public struct IntentFile: Sendable, _IntentValue {
  /// <https://developer.apple.com/documentation/appintents/intentfile/data>
  public let data: Data
  /// <https://developer.apple.com/documentation/appintents/intentfile/filename>
  public let filename: String

  /// <https://developer.apple.com/documentation/appintents/intentfile/init(data:filename:type:)>
  public init(data: Data, filename: String, type: UTType? = nil) {
    (self.data, self.filename) = (data, filename)
  }
}

/// <https://developer.apple.com/documentation/appintents/appunionvalue>: what `@UnionValue` makes of an enumeration.
public protocol AppUnionValue: _IntentValue, Sendable {}

/// <https://developer.apple.com/documentation/appintents/persistentlyidentifiable>
public protocol PersistentlyIdentifiable {
  /// <https://developer.apple.com/documentation/appintents/persistentlyidentifiable/persistentidentifier>
  static var persistentIdentifier: String { get }
}

extension PersistentlyIdentifiable {
  /// The name of the type.
  public static var persistentIdentifier: String { "\(Self.self)" }
}
