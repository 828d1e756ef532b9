import HTTPServer

extension Problem {
  /// The code of a problem, which tells the cases of one status apart. `openapi.json` lists them by
  /// status.
  enum Code: String, Sendable, CaseIterable {
    case badRequest
    case invalidParameter
    case invalidField
    case invalidJSON
    case nothingAsked
    case unauthorized
    case forbidden
    case unknownPath
    case unknownEntity
    case noPicture
    case noAssociation
    case unknownStatement
    case noFit
    case methodNotAllowed
    case requestTimeout
    case expiredToken
    case bodyTooLarge
    case tooManyBytes
    case targetTooLong
    case unsupportedMediaType
    case unsupportedFormat
    case unsupportedCoding
    case expectationFailed
    case empty
    case truncated
    case corrupt
    case tooManyPixels
    case tooMuchWork
    case regionOutside
    case invalidFilter
    case invalidToken
    case invalidSignature
    case invalidEntity
    case invalidFeedback
    case reusedKey
    case tooManyRequests
    case headersTooLarge
    case internalError
    case methodNotImplemented
    case codingNotImplemented
    case stopping
    case catalogueUnavailable
    case catalogueBusy
    case timedOut
    case overloaded
    case tooManyConnections
    case feedbackFull
    case tooLargeToCheck
    case versionNotSupported

    /// The status of the answer.
    var status: Int {
      switch self {
      case .badRequest, .invalidParameter, .invalidField, .invalidJSON, .nothingAsked: 400
      case .unauthorized: 401
      case .forbidden: 403
      case .unknownPath, .unknownEntity, .noPicture, .noAssociation, .unknownStatement,
        .noFit:
        404
      case .methodNotAllowed: 405
      case .requestTimeout: 408
      case .expiredToken: 410
      case .bodyTooLarge, .tooManyBytes: 413
      case .targetTooLong: 414
      case .unsupportedMediaType, .unsupportedFormat, .unsupportedCoding: 415
      case .expectationFailed: 417
      case .empty, .truncated, .corrupt, .tooManyPixels, .tooMuchWork, .regionOutside,
        .invalidFilter, .invalidToken, .invalidSignature, .invalidEntity, .invalidFeedback,
        .reusedKey:
        422
      case .tooManyRequests: 429
      case .headersTooLarge: 431
      case .internalError: 500
      case .methodNotImplemented, .codingNotImplemented: 501
      case .stopping, .catalogueUnavailable, .catalogueBusy, .timedOut, .overloaded,
        .tooManyConnections, .feedbackFull, .tooLargeToCheck:
        503
      case .versionNotSupported: 505
      }
    }

    /// The name of the status.
    var title: String { HTTPResponse.reason(status) }
  }
}
