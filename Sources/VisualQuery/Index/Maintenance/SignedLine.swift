internal import PixelMatch

/// One entity with the signatures of its images, or one rejected row, as a line of JSON that needs no
/// other line to be understood: lines of several machines can be put together in any order.
enum SignedLine {
  static let schema = "vq.signed/1"
  static let refusedSchema = "vq.refused/1"

  /// Returns the JSON form of an image.
  ///
  /// - Parameter reading: The text and codes of the image, or `nil` if it was not read.
  static func json(
    _ image: SignedEntity.Image, _ signature: Signature, _ reading: ImageReading? = nil
  ) -> JSONValue {
    var fields: [String: JSONValue] = [
      "position": .integer(Int64(image.position)), "path": .string(image.path),
      "byteCount": .integer(Int64(image.byteCount)), "modified": .integer(Int64(image.modified)),
      "contentHash": .integer(Int64(image.contentHash)),
      "signature": .string(Base64URL.encoded(signature.encoded)),
    ]
    if let reading {
      fields["reading"] = reading.json
      fields["readingModels"] = ImageReading.json(of: reading.models)
    }
    return .object(fields)
  }

  /// Reads the JSON form of an image; returns `nil` if it is not one.
  ///
  /// - Throws: The error of a signature that cannot be read.
  static func image(_ json: JSONValue) throws -> SignedEntity.Image? {
    guard case .object(let fields) = json, case .integer(let position)? = fields["position"],
      case .string(let path)? = fields["path"], case .integer(let byteCount)? = fields["byteCount"],
      case .integer(let modified)? = fields["modified"],
      case .integer(let hash)? = fields["contentHash"],
      case .string(let text)? = fields["signature"], let bytes = Base64URL.decoded(text)
    else { return nil }
    var image = SignedEntity.Image(
      position: Int(position), path: path, byteCount: Int(byteCount), modified: Int(modified),
      contentHash: Int(hash), signature: try Signature(encoded: bytes), previous: nil)
    if let reading = fields["reading"] {
      guard let models = ImageReading.models(fields["readingModels"]),
        let reading = ImageReading(json: reading, models: models)
      else { return nil }
      image.reading = reading
    }
    return image
  }

  /// Returns the line of an entity. The times of files are left out, since each machine has its own.
  static func text(of signed: SignedEntity) -> String {
    let images = signed.images.compactMap { image -> JSONValue? in
      guard let signature = image.signature else { return nil }
      let timeless = SignedEntity.Image(
        position: image.position, path: image.path, byteCount: image.byteCount, modified: 0,
        contentHash: image.contentHash, signature: nil, previous: nil)
      return json(timeless, signature, image.reading)
    }
    return JSONValue.object([
      "schema": .string(schema), "signatureVersion": .integer(Int64(Signature.version)),
      "entity": signed.value.json, "images": .array(images),
    ]).text
  }

  /// Returns the line of a rejected row, image or field.
  static func text(of refused: RefusedRow) -> String {
    var fields: [String: JSONValue] = [
      "schema": .string(refusedSchema), "kind": .string(refused.kind.rawValue),
      "line": .integer(Int64(refused.line)), "reason": .string(refused.reason),
    ]
    fields["id"] = refused.id.map(JSONValue.string)
    fields["field"] = refused.field.map(JSONValue.string)
    fields["row"] = refused.row
    return JSONValue.object(fields).text
  }
}
