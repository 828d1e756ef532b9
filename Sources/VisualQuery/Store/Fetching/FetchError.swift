/// The reason why an image was not fetched.
package struct FetchError: Error, Sendable, Hashable {
  package enum Code: Sendable {
    /// The policy does not allow it.
    case notAllowed
    /// The server has no such image.
    case missing
    /// The server did not respond, or is temporarily unavailable.
    case unavailable
    /// The response is not an image, or is too large.
    case unusable
    /// The host allows no more requests for now: the next run goes on.
    case busy
    /// The time of the run is over: the next run goes on.
    case later
    /// The run was cancelled.
    case cancelled
  }

  package let code: Code
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
