@_exported public import Foundation

// Parts of Apple's Foundation that the one of Linux does not have.

/// <https://developer.apple.com/documentation/foundation/localizedstringresource>
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Sendable, Hashable {
  /// <https://developer.apple.com/documentation/foundation/localizedstringresource/key>
  public let key: String

  /// <https://developer.apple.com/documentation/foundation/localizedstringresource/init(stringliteral:)>
  public init(stringLiteral value: String) { key = value }
}

/// <https://developer.apple.com/documentation/foundation/customlocalizedstringresourceconvertible>: what Siri and Shortcuts
/// show of an error.
public protocol CustomLocalizedStringResourceConvertible {
  /// <https://developer.apple.com/documentation/foundation/customlocalizedstringresourceconvertible/localizedstringresource>
  var localizedStringResource: LocalizedStringResource { get }
}

extension String {
  /// <https://developer.apple.com/documentation/swift/string/init(localized:)>
  public init(localized resource: LocalizedStringResource) { self = resource.key }
}

/// <https://developer.apple.com/documentation/foundation/nsuseractivity>: not `Sendable`.
open class NSUserActivity {
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/activitytype>
  public let activityType: String
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/title>
  open var title: String?
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/webpageurl>
  open var webpageURL: URL?
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/iseligibleforsearch>
  open var isEligibleForSearch = false
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/iseligibleforhandoff>
  open var isEligibleForHandoff = true
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/persistentidentifier>
  open var persistentIdentifier: String?

  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/init(activitytype:)>
  public init(activityType: String) { self.activityType = activityType }
}
