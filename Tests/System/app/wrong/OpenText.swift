// expect: type 'OpenMug' does not conform to protocol 'OpenIntent'
import AppIntents

struct OpenMug: OpenIntent {
  static let title: LocalizedStringResource = "Open"
  @Parameter(title: "Mug") var target: String
  func perform() async throws -> some IntentResult { .result() }
}
