public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The address of a shop's service, and how an app asks it.
public struct ServiceConfiguration: Sendable {
  /// The address of the service, such as `https://search.shop.example/`.
  public var address: URL
  /// A key that may read, or `nil` if the service needs none.
  public var key: String?
  /// The language of titles and messages, a BCP 47 tag such as `de-CH`.
  public var language: String
  /// The time after which a question is given up, from its first byte to the last byte of the answer.
  public var timeout: Duration
  /// The time that the service may search; `nil` for the service's own limit.
  public var searchTime: Duration?
  /// The longer side to which images are scaled down before they are uploaded. The service looks at no more.
  public var longSide: Int
  /// Scales and encodes the bytes of an image file before they are uploaded; `nil` uploads them as they are.
  ///
  /// An app makes a JPEG file of at most ``longSide`` pixels here.
  public var prepareImage: (@Sendable (Data) async throws -> Data)?
  /// The session that carries the requests.
  public var session: URLSession

  /// Makes a configuration.
  public init(
    address: URL, key: String? = nil,
    language: String = Locale.preferredLanguages.first ?? "en", timeout: Duration = .seconds(5),
    searchTime: Duration? = nil, longSide: Int = 1024,
    prepareImage: (@Sendable (Data) async throws -> Data)? = nil, session: URLSession = .shared
  ) {
    self.address = address
    self.key = key
    self.language = language
    self.timeout = timeout
    self.searchTime = searchTime
    self.longSide = longSide
    self.prepareImage = prepareImage
    self.session = session
  }
}
