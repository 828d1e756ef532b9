/// Why a picture was not fetched.
struct FetchError: Error, Sendable, Hashable {
  enum Code: Sendable {
    /// The policy forbids it.
    case notAllowed
    /// The server says that it is not there.
    case missing
    /// The server did not answer, or not now.
    case unavailable
    /// What came is no picture, or too large.
    case unusable
    /// The run was ended meanwhile.
    case cancelled
  }

  let code: Code
  let message: String
}
