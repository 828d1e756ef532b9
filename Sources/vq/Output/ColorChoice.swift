/// A choice of when to use color.
enum ColorChoice: String, Sendable, CaseIterable {
  case auto, always, never

  /// Returns whether to use color on a descriptor.
  ///
  /// The option has precedence over the environment, and `NO_COLOR` (<https://no-color.org>) over
  /// `CLICOLOR_FORCE` (<https://bixense.com/clicolors/>). Unless forced, color is not written to a
  /// pipe or a file.
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
