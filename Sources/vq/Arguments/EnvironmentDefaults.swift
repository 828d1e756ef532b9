/// Defaults of options from the environment: `VQ_MATCH_LIMIT` for one command, `VQ_LIMIT` for every command that has the
/// option. Empty variables, and those of no option, do not count.
struct EnvironmentDefaults: Sendable {
  let environment: [String: String]

  /// Returns the variables of an option for a command, the first with a text being the one that counts.
  static func variables(of option: OptionDescription, for command: String) -> [String] {
    func name(_ words: String...) -> String {
      (["VQ"] + words).joined(separator: "_").uppercased().replacing("-", with: "_")
    }
    return [name(command, option.name), name(option.name)]
  }

  /// Returns the texts of an option for a command, as if they were on its command line, or `nil` if the environment has none.
  ///
  /// - Throws: ``UsageError`` with the code `unacceptableValue`, which names the variable.
  func texts(
    of option: OptionDescription, for command: String
  ) throws(UsageError) -> [String]? {
    // Ignores VQ_VERSION and VQ_HELP, which another program may use for its own purposes.
    let isQuestion = [CommonOptions.help.description, CommonOptions.version.description]
      .contains { $0.name == option.name }
    if isQuestion { return nil }
    for variable in Self.variables(of: option, for: command) {
      guard let text = environment[variable], !text.isEmpty else { continue }
      // Kubernetes sets this for a service whose name is "vq".
      if variable == "VQ_PORT", text.hasPrefix("tcp://") { continue }
      if option.value == nil {
        guard let isSet = Self.flag(text) else {
          throw UsageError(
            .unacceptableValue, "\(variable) takes yes or no; found \(found(text))",
            command: command)
        }
        return isSet ? [""] : []
      }
      guard option.accepts(text) else {
        throw unacceptable(text, for: option, given: variable, command: command)
      }
      return [text]
    }
    return nil
  }

  /// Returns whether a text sets a flag, or `nil` if it is neither yes nor no.
  static func flag(_ text: String) -> Bool? {
    switch text {
    case "yes": true
    case "no": false
    default: nil
    }
  }
}
