/// What the process ends with.
///
/// The numbers are a promise to scripts.
enum ExitCode: Int32, Sendable, CaseIterable {
  /// It ran; an empty answer is an answer.
  case success = 0
  /// Anything that has no number of its own.
  case failure = 1
  /// The command line was not understood.
  case usage = 2
  /// A picture could not be decoded.
  case undecodablePicture = 4
  /// The index is missing, locked or corrupt.
  case unusableIndex = 5
  /// Ctrl-C, or a request to terminate.
  case interrupted = 130

  /// The meaning, as the help says it.
  var meaning: String {
    switch self {
    case .success: "it ran; an empty answer is an answer"
    case .failure: "anything else"
    case .usage: "the command line was not understood"
    case .undecodablePicture: "a picture cannot be decoded"
    case .unusableIndex: "the index is missing, locked or corrupt"
    case .interrupted: "interrupted with Ctrl-C or SIGTERM"
    }
  }
}

/// A failure of a command that is already in words: what ended it, and what to do next.
struct CommandFailure: Error, Sendable, Hashable {
  /// What the process ends with.
  let exitCode: ExitCode
  /// What failed, where and why.
  let message: String
  /// What to do next, a line each; a command to copy stands alone on its line.
  let advice: [String]

  init(_ exitCode: ExitCode, _ message: String, advice: [String] = []) {
    self.exitCode = exitCode
    self.message = message
    self.advice = advice
  }
}
