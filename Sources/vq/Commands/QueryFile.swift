import PixelMatch
import VisualQuery

/// A file of queries, as `vq eval` and `vq diff` read it.
struct QueryFile: Sendable {
  let queries: [EvaluationQuery]
  private let folder: String

  /// Reads a file.
  ///
  /// - Throws: ``CommandFailure`` with the file, the line and the reason.
  init(_ file: String) throws {
    folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder().contents(ofFile: file)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(file)': \(error.message)")
    }
    do throws(EvaluationError) {
      queries = try EvaluationQuery.read(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(.failure, "'\(file)', line \(error.line): \(error.message)")
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
