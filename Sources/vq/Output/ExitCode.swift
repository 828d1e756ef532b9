/// The exit code of the process.
///
/// Scripts rely on these numbers.
enum ExitCode: Int32, Sendable, CaseIterable {
  /// The command ran; an empty answer is not a failure.
  case success = 0
  /// Any failure without a code of its own.
  case failure = 1
  /// The command line is invalid.
  case usage = 2
  /// A run of `vq index` did not take from the index what its feed lacks, because that is too much.
  case refused = 3
  /// An image could not be decoded.
  case undecodablePicture = 4
  /// The index is missing, locked or corrupt.
  case unusableIndex = 5
  /// PostgreSQL refused the login.
  case refusedLogin = 6
  /// A run of `vq index` had nothing to do, if `--detailed-exit-code` asks for that.
  case nothingToDo = 7
  /// A run of `vq index` left out rows, images or fields, if `--detailed-exit-code` asks for that.
  case losses = 8
  /// A run of `vq index` is not at its end: images on servers are still to come.
  case unfinished = 9
  /// Ctrl-C, or a request to terminate.
  case interrupted = 130

  /// The description in the help.
  var meaning: String {
    switch self {
    case .success: "success, also if there is no match"
    case .failure: "any other error"
    case .usage: "the command line is invalid"
    case .refused: "refused: the feed lacks too much, so what was there stays"
    case .undecodablePicture: "an image cannot be decoded"
    case .unusableIndex: "the index is missing, locked or corrupt"
    case .refusedLogin: "PostgreSQL refused the login"
    case .nothingToDo: "with --detailed-exit-code: nothing to do"
    case .losses: "with --detailed-exit-code: done, but rows, images or fields were rejected"
    case .unfinished: "not all yet: images on servers are still to come; run the command again"
    case .interrupted: "interrupted with Ctrl-C or SIGTERM"
    }
  }
}

/// The failure of a command, described in words.
struct CommandFailure: Error, Sendable, Hashable {
  /// The exit code of the process.
  let exitCode: ExitCode
  /// The failure with its location and reason.
  let message: String
  /// Lines with what to do next; a command to copy has its own line.
  let advice: [String]

  init(_ exitCode: ExitCode, _ message: String, advice: [String] = []) {
    self.exitCode = exitCode
    self.message = message
    self.advice = advice
  }
}
