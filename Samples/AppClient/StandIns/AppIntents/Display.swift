public import AppleFoundation

/// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation>
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Sendable, Hashable {
  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation/name>
  public var name: LocalizedStringResource

  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation/init(stringliteral:)>
  public init(stringLiteral value: String) { name = LocalizedStringResource(stringLiteral: value) }
}

/// <https://developer.apple.com/documentation/appintents/displayrepresentation>
public struct DisplayRepresentation: ExpressibleByStringInterpolation, Sendable {
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct>
  public struct Image: Sendable {
    /// Stand-in only: the address.
    public let url: URL?
    /// Stand-in only: the bytes.
    public let data: Data?

    /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct/init(url:istemplate:displaystyle:)>
    public init(url: URL, isTemplate: Bool? = nil) { (self.url, data) = (url, nil) }

    /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct/init(data:istemplate:displaystyle:)>
    public init(data: Data, isTemplate: Bool? = nil) { (url, self.data) = (nil, data) }
  }

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/title>
  public var title: LocalizedStringResource
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/subtitle>
  public var subtitle: LocalizedStringResource?
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.property>
  public var image: Image?
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/synonyms>
  public var synonyms: [LocalizedStringResource]

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/init(stringliteral:)>
  public init(stringLiteral value: String) {
    self.init(title: LocalizedStringResource(stringLiteral: value))
  }

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/init(title:subtitle:image:synonyms:)>
  public init(
    title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
    synonyms: [LocalizedStringResource] = []
  ) {
    (self.title, self.subtitle, self.image, self.synonyms) = (title, subtitle, image, synonyms)
  }
}

/// <https://developer.apple.com/documentation/appintents/typedisplayrepresentable>
public protocol TypeDisplayRepresentable {
  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentable/typedisplayrepresentation>
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
}

/// <https://developer.apple.com/documentation/appintents/instancedisplayrepresentable>
public protocol InstanceDisplayRepresentable {
  /// <https://developer.apple.com/documentation/appintents/instancedisplayrepresentable/displayrepresentation>
  var displayRepresentation: DisplayRepresentation { get }
}

/// <https://developer.apple.com/documentation/appintents/displayrepresentable>
public protocol DisplayRepresentable: TypeDisplayRepresentable, InstanceDisplayRepresentable {}
