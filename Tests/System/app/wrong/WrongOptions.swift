// expect: requires the types
import AppIntents

struct Brands: DynamicOptionsProvider {
  func results() async throws -> [String] { [] }
}

struct Find: AppIntent {
  static let title: LocalizedStringResource = "Find"
  @Parameter(title: "Size", optionsProvider: Brands()) var size: Int
  func perform() async throws -> some IntentResult { .result() }
}
