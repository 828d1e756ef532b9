import PixelMatch
import VisualQuery

/// A file with the embedding of a query's image.
enum EmbeddingFile {
  /// More than the text of the longest vector.
  private static let byteLimit = 1 << 16

  /// Reads the JSON form of an embedding.
  ///
  /// - Throws: ``CommandFailure`` that names the file.
  static func embedding(_ path: String) throws(CommandFailure) -> ImageEmbedding {
    func failure(_ reason: String) -> CommandFailure {
      CommandFailure(.usage, "--embedding '\(FileName.readable(path))' \(reason)")
    }
    do {
      let bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: byteLimit)).contents(
        ofFile: path)
      return try ImageEmbedding(json: try JSONValue(json: bytes))
    } catch let error as DecodeError {
      throw failure("cannot be read: \(error.message)")
    } catch let error as JSONError {
      throw failure(error.message)
    } catch let error as FieldError {
      throw failure("\(error.field.map { "has a '\($0)' that " } ?? "")\(error.reason)")
    } catch {
      throw failure("cannot be read: \(error)")
    }
  }
}
