import PixelMatch
import VisualQuery

/// A file of queries, as `vq eval` and `vq diff` read it.
struct QueryFile: Sendable {
  let queries: [EvaluationQuery]
  private let folder: String

  /// Reads a file, and warns of keys that are nearly known ones.
  ///
  /// - Throws: ``CommandFailure`` with the file, the line and the reason.
  init(_ file: String, warningOn diagnostics: Diagnostics) throws {
    folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder().contents(ofFile: file)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(file)': \(error.message)")
    }
    var warnings: [EvaluationError] = []
    do throws(EvaluationError) {
      queries = try EvaluationQuery.read(String(decoding: bytes, as: UTF8.self)) {
        warnings.append($0)
      }
    } catch {
      throw CommandFailure(.failure, "'\(file)', line \(error.line): \(error.message)")
    }
    for warning in QueryWarnings.sentences(warnings) {
      diagnostics.warning("'\(file)', \(warning)")
    }
    guard !queries.isEmpty else { throw CommandFailure(.failure, "'\(file)' contains no queries") }
  }

  /// Returns the path of a query's image, which is relative to the file, or the name of a query that is a
  /// signature.
  func path(of query: EvaluationQuery) -> String {
    if query.signature != nil { return query.query }
    return query.image.hasPrefix("/") ? query.image : folder + query.image
  }
}
