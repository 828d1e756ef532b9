/// When colour is used.
enum ColorChoice: String, Sendable, CaseIterable {
  case auto, always, never

  /// Returns whether to colour what goes to one descriptor.
  ///
  /// The option is stronger than the environment, and `NO_COLOR` (<https://no-color.org>) stronger
  /// than `CLICOLOR_FORCE` (<https://bixense.com/clicolors/>). Unless forced, a pipe or a file gets
  /// no colour.
  func usesColor(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      if let value = environment["NO_COLOR"], !value.isEmpty { return false }
      if let value = environment["CLICOLOR_FORCE"], !value.isEmpty, value != "0" { return true }
      return isTerminal && environment["TERM"] != "dumb"
    }
  }
}
