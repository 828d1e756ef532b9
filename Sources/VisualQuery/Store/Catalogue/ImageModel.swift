package import PixelMatch

/// The model that the vectors of a catalogue's images were computed by, as the catalogue remembers it.
public struct ImageModel: Sendable, Hashable, Encodable {
  /// The name of its vectors.
  public let name: String
  /// The SHA-256 of its files, by their names.
  public let files: [String: String]
  /// The cosines of images of one kind, or `nil` if the catalogue has too few kinds to tell.
  public internal(set) var kinds: KindCalibration?

  package init(name: String, files: [String: String], kinds: KindCalibration? = nil) {
    (self.name, self.files, self.kinds) = (name, files, kinds)
  }

  /// The name of the setting.
  package static let setting = "imageModel"

  /// Reads the setting; `nil` if there is none.
  package init?(settings: [String: String]) {
    guard let text = settings[Self.setting],
      case .object(let fields)? = try? JSONValue(stored: text),
      case .string(let name)? = fields["name"], case .object(let files)? = fields["files"]
    else { return nil }
    self.init(
      name: name,
      files: files.compactMapValues { if case .string(let digest) = $0 { digest } else { nil } },
      kinds: fields["kinds"].flatMap(KindCalibration.init))
  }

  /// The value of the setting.
  package var setting: String {
    var fields: [String: JSONValue] = [
      "name": .string(name), "files": .object(files.mapValues(JSONValue.string)),
    ]
    if let kinds { fields["kinds"] = kinds.json }
    return JSONValue.object(fields).text
  }
}

extension Catalogue {
  /// Returns the vector that the catalogue's model computed for the first image of an entity, or `nil` if there is none.
  ///
  /// - Throws: ``CatalogueError``.
  package func computedEmbedding(of id: EntityID) throws(CatalogueError) -> ImageEmbedding? {
    guard let imageModel else { return nil }
    let place = try read { database throws(CatalogueError) in
      try database.existing(id)?.images.first.map { (segment: $0.segment, row: $0.row) }
    }
    guard let place, let index = segmentIndices[id.type]?[place.segment] else { return nil }
    let segment = segments(of: id.type)[index].segment
    guard place.row < segment.count, let embedding = segment.embedding(at: place.row),
      embedding.model == ImageEmbedding.fingerprint(of: imageModel.name)
    else { return nil }
    return embedding
  }
}
