/// The outside of a command: where its answers and messages go, and what the environment says.
struct Console: Sendable {
  /// Answers, and nothing else.
  let output: StandardOutput
  /// Messages and progress.
  let diagnostics: Diagnostics
  /// The environment variables.
  let environment: [String: String]
  /// The columns that a table on standard output may take.
  let width: Int
  /// Whether standard output takes colour.
  let usesColor: Bool

  /// Makes a console of the given parts: for tests.
  init(
    output: StandardOutput, diagnostics: Diagnostics, environment: [String: String] = [:],
    width: Int = 80, usesColor: Bool = false
  ) {
    self.output = output
    self.diagnostics = diagnostics
    self.environment = environment
    self.width = width
    self.usesColor = usesColor
  }

  /// Makes a console of the standard descriptors.
  init(environment: [String: String], color: ColorChoice) {
    let output = FileDescriptor.standardOutput
    let error = FileDescriptor.standardError
    self.init(
      output: StandardOutput(),
      diagnostics: Diagnostics(
        usesColor: color.usesColor(isTerminal: error.isTerminal, environment: environment),
        canRedraw: error.isTerminal && environment["TERM"] != "dumb"),
      environment: environment,
      width: output.isTerminal ? output.columns ?? 80 : 80,
      usesColor: color.usesColor(isTerminal: output.isTerminal, environment: environment))
  }
}
