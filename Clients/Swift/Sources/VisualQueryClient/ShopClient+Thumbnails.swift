public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension ShopClient {
  /// Returns the JPEG file of an image of the service, with the key if there is one.
  ///
  /// - Parameter url: A URL of ``thumbnailURL(of:size:image:)``, or ``Display/image``.
  public func thumbnail(_ url: URL) async throws -> Data {
    var request = URLRequest(url: url)
    // The key is for the service only: an image of the feed may be on any server.
    if url.host == configuration.address.host, url.port == configuration.address.port,
      url.scheme == configuration.address.scheme
    {
      request = authorized(request)
    }
    return try await success(of: request)
  }
}
