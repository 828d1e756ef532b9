/// An error in opening or running a model.
public struct ReadingError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The folder, a model or the library that runs it was not found.
    case missing
    /// A file cannot be read.
    case unreadable
    /// A model that reads text has more than 256 MB, or one that encodes images more than 1 GB.
    case tooLarge
    /// A file is not a model, or is damaged.
    case corrupt
    /// A model takes or gives something else than is needed.
    case otherShape
    /// A run of a model failed.
    case failed
    /// The caller stopped a run.
    case stopped
  }
  /// The kind of the error.
  public let code: Code
  /// The text for people: what was found and what would be accepted.
  public let message: String

  init(code: Code, message: String) {
    self.code = code
    self.message = message
  }
}
