// expect: static property 'title' is not concurrency-safe because it is nonisolated global shared mutable state
import AppIntents

struct Reset: AppIntent {
  static var title: LocalizedStringResource = "Reset"
  func perform() async throws -> some IntentResult { .result() }
}
