package import PixelMatch

/// The model that the vectors of a catalogue's images were computed by, as the catalogue remembers it.
package struct ImageModel: Sendable, Hashable, Encodable {
  /// The name of its vectors.
  package let name: String
  /// The SHA-256 of its files, by their names.
  package let files: [String: String]
  /// The cosines of images of one kind, or `nil` if the catalogue has too few kinds to tell.
  package internal(set) var kinds: KindCalibration?
  /// The directions in which the vectors tell the catalogue's things apart, or `nil` if too few of them have several images.
  package let directions: EmbeddingDirections?

  package init(
    name: String, files: [String: String], kinds: KindCalibration? = nil,
    directions: EmbeddingDirections? = nil
  ) {
    (self.name, self.files, self.kinds, self.directions) = (name, files, kinds, directions)
  }

  /// The fields that are printed.
  private enum CodingKeys: CodingKey { case name, files, kinds }

  /// The name of the setting.
  package static let setting = "imageModel"
  /// The name of the setting of the directions, whose value is base64url of their stored form.
  package static let directionsSetting = "imageModel.directions"

  /// Reads the setting; `nil` if there is none.
  package init?(settings: [String: String]) {
    guard let text = settings[Self.setting],
      case .object(let fields)? = try? JSONValue(stored: text),
      case .string(let name)? = fields["name"], case .object(let files)? = fields["files"]
    else { return nil }
    self.init(
      name: name,
      files: files.compactMapValues { if case .string(let digest) = $0 { digest } else { nil } },
      kinds: fields["kinds"].flatMap(KindCalibration.init),
      directions: settings[Self.directionsSetting].flatMap { Base64URL.decoded($0) }
        .flatMap(EmbeddingDirections.init(stored:)))
  }

  /// The value of the setting of the directions; `nil` if there are none.
  package var storedDirections: String? { directions.map { Base64URL.encoded($0.stored) } }

  /// The value of the setting.
  package var setting: String {
    var fields: [String: JSONValue] = [
      "name": .string(name), "files": .object(files.mapValues(JSONValue.string)),
    ]
    if let kinds { fields["kinds"] = kinds.json }
    return JSONValue.object(fields).text
  }
}
