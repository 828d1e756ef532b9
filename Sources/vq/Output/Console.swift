/// The surroundings of a command: its output, its messages and its environment.
struct Console: Sendable {
  /// The output for answers only.
  let output: StandardOutput
  /// The output for messages and progress.
  let diagnostics: Diagnostics
  /// The environment variables.
  let environment: [String: String]
  /// The width of a table on standard output, in columns.
  let width: Int
  /// True if standard output uses color.
  let usesColor: Bool

  /// True if web addresses on standard output can be clicked: with color, but for terminals that are known to show the
  /// sequences instead (the console of Linux, and VTE before 0.50).
  var linksTexts: Bool {
    let isOld = environment["VTE_VERSION"].flatMap(Int.init).map { $0 < 5000 } ?? false
    return usesColor && !isOld && !["linux", "dumb"].contains(environment["TERM"])
  }

  /// Makes a console from its parts: for tests.
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

  /// Makes a console for the standard descriptors.
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
