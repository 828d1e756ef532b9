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

  /// Returns the address of an entity's card in a size, with the name that may be cached forever.
  ///
  /// It is that of the service's thumbnail if the service has the image. An image that it does not have is an original, with
  /// one size, which may be large, and one background (``hasOriginalOnly(_:)``).
  public func imageURL(
    of entity: Entity, size: ThumbnailSize, background: ThumbnailBackground? = nil
  ) -> URL? {
    guard let image = entity.display.thumbnail ?? entity.display.image, isOwn(image),
      var parts = URLComponents(url: image, resolvingAgainstBaseURL: true),
      let items = parts.percentEncodedQueryItems
    else { return entity.display.image }
    parts.percentEncodedQueryItems = items.map { item in
      item.name == "size" ? URLQueryItem(name: item.name, value: size.rawValue) : item
    }
    if let background {
      parts.percentEncodedQueryItems?.append(
        URLQueryItem(name: "background", value: background.rawValue))
    }
    return parts.url
  }

  /// Returns whether the service has no thumbnail of an entity's image: it is loaded from the shop's own address, as it is.
  public func hasOriginalOnly(_ entity: Entity) -> Bool {
    guard let image = entity.display.thumbnail ?? entity.display.image else { return false }
    return !isOwn(image)
  }

  /// Returns whether an image is a thumbnail of the service.
  private func isOwn(_ image: URL) -> Bool {
    image.host == configuration.address.host && image.path.hasSuffix("/thumbnail")
  }
}
