// expect: Find (NoSummary.swift) has no parameterSummary that names 'words'
import AppIntents

struct Find: AppIntent {
  static let title: LocalizedStringResource = "Find"
  static var parameterSummary: some ParameterSummary { Summary("Find") { \.$words } }
  @Parameter(title: "Words") var words: String
  @Parameter(title: "Brand") var brand: String?
  func perform() async throws -> some IntentResult { .result() }
}
