public import PixelMatch

/// A change of one entity; all other entities stay as they are.
public enum EntityChange: Sendable {
  /// Adds an entity, or replaces the one with the same type and id as a whole.
  ///
  /// The images replace `images` of the entity; `nil` takes the names in `images`, like a feed.
  case put(EntityValue, images: [EntityImage]? = nil)
  /// Changes the fields of a stored entity that an object names, as a merge patch (RFC 7396): `null` removes a field. All
  /// others stay as they are, and so do the images unless `images` is named.
  case patch(EntityID, JSONValue)
  /// Removes an entity.
  case remove(EntityID)

  /// The id of the entity.
  package var id: EntityID {
    switch self {
    case .put(let value, _): value.id
    case .patch(let id, _), .remove(let id): id
    }
  }
}

/// An image of an entity to index.
///
/// An image from memory has no file afterwards. Its stored name in ``EntityValue/imagePaths`` is
/// its address, otherwise `upload:` and the hash of its content. An entity that is put again with
/// that name as a reference keeps the image. Only the index can show it: if
/// the ``ShopSettings`` have sides of thumbnails, thumbnails are stored with its signature, otherwise
/// there are none. An index of another signature version needs the image again.
public enum EntityImage: Sendable {
  /// A name as in `images` of a feed: a path beneath the images root, an address, or the name of an
  /// image of the same entity that was indexed from memory before.
  case reference(String)
  /// The bytes of an image file, and perhaps the http or https address at which apps find it.
  case encoded([UInt8], address: String? = nil)
  /// Pixels, and perhaps the http or https address at which apps find the image.
  case pixels(PixelBuffer, address: String? = nil)
}

extension EntityImage {
  /// Returns whether the name of an image is an http or https URL.
  package static func isAddress(_ name: String) -> Bool { FetchedPictures.isAddress(name) }
}

extension EntityChange {
  /// The effect of a change.
  public enum Effect: String, Sendable, Hashable, CaseIterable {
    /// The entity is new.
    case added
    /// The entity was replaced.
    case changed
    /// The entity was the same already; nothing was written and no image was analyzed.
    case unchanged
    /// The entity was removed.
    case removed
    /// The entity to patch or to remove did not exist.
    case unknown
    /// Nothing was written; ``Outcome/refused`` has the reasons.
    case refused
  }

  /// The outcome of a change.
  public struct Outcome: Sendable, Hashable {
    /// The number of changes before it.
    package let number: Int
    /// The id of the entity.
    public let id: EntityID
    /// The effect.
    public let effect: Effect
    /// The stored names of the entity's images; a later change can refer to them.
    public let images: [String]
    /// The reasons why the entity or some of its images were not indexed. The line is the number of the change,
    /// from 1.
    public let refused: [RefusedRow]
    /// The entity after the change, or `nil` if there is none or the change was refused.
    package var value: EntityValue?
  }
}

/// The options of an update.
public struct UpdateOptions: Sendable, Hashable {
  /// A Boolean value that indicates whether an entity is rejected if one of its images is. Otherwise
  /// it is indexed without that image, like a row of a feed.
  package var requiresAllImages: Bool
  /// The policy for fetching images at addresses that come without bytes, or `nil` to fetch none.
  package var fetching: FetchPolicy?

  /// A Boolean value that indicates whether a missing catalogue is an error. By default, it is created.
  package var requiresCatalogue: Bool

  /// Makes options.
  public init(
    requiresAllImages: Bool = false, fetching: FetchPolicy? = nil, requiresCatalogue: Bool = false
  ) {
    self.requiresAllImages = requiresAllImages
    self.requiresCatalogue = requiresCatalogue
    self.fetching = fetching
  }
}

/// The reason why an update ended early. The changes before it are published unless the catalogue
/// cannot be written.
public enum UpdateError<SourceError: Error>: Error {
  /// The catalogue cannot be opened or written; with the code `locked` if another writer is at
  /// work.
  case catalogue(CatalogueError)
  /// The sequence of changes failed.
  case source(SourceError)
  /// The task was cancelled.
  case cancelled
}
