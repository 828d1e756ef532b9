import HTTPServer
import PixelMatch
import VisualQuery

/// The errors of the libraries as problems.
extension Problem {
  init(_ error: HTTPError) {
    let code: Code =
      switch error.code {
      case .badRequest: .badRequest
      case .targetTooLong: .targetTooLong
      case .headersTooLarge: .headersTooLarge
      case .bodyTooLarge: .bodyTooLarge
      case .expectationFailed: .expectationFailed
      case .codingNotImplemented: .codingNotImplemented
      case .versionNotSupported: .versionNotSupported
      case .requestTimeout: .requestTimeout
      case .tooManyConnections: .tooManyConnections
      case .overloaded: .overloaded
      }
    self.init(code, error.message, limit: error.limit, retryAfter: error.retryAfter)
  }

  init(_ error: DecodeError, of picture: [UInt8], limits: DecodeLimits) {
    let code: Code =
      switch error.code {
      case .unsupportedFormat: .unsupportedFormat
      case .tooManyBytes: .tooManyBytes
      case .empty: .empty
      case .truncated: .truncated
      case .corrupt: .corrupt
      case .tooManyPixels: .tooManyPixels
      case .tooMuchWork: .tooMuchWork
      case .unreadable, .cancelled: .internalError
      }
    self.init(code, error.message, field: "image")
    switch error.code {
    case .tooManyBytes: limit = limits.byteLimit
    case .tooManyPixels: limit = limits.pixelLimit
    case .unsupportedFormat: found = ImageFormat.sniffedName(of: picture)
    case .empty, .truncated, .corrupt, .tooMuchWork, .unreadable, .cancelled: break
    }
  }

  init(_ error: MatchError) {
    let code: Code =
      switch error.code {
      case .regionOutside: .regionOutside
      case .invalidFilter: .invalidFilter
      case .invalidToken: .invalidToken
      case .expiredToken: .expiredToken
      }
    self.init(code, error.message, field: error.field)
  }

  /// Leaves out the full message, which is for the log: the client can do nothing about the catalogue.
  init(_ error: CatalogueError) {
    guard error.code != .timedOut else {
      self.init(
        .timedOut, "the answer was not ready in time; ask for less, or try again", retryAfter: 1)
      return
    }
    self.init(.catalogueUnavailable, Self.summary(of: error), retryAfter: 5)
  }

  /// Returns the part of an error that anybody may see: no path but the name of the damaged file.
  static func summary(of error: CatalogueError) -> String {
    let which = error.generation.map { "generation \($0) of the catalogue" } ?? "the catalogue"
    let file = error.file.map { ": '\($0)' is damaged or missing" } ?? ""
    return "\(which) cannot be read at the moment\(file)"
  }
}
