// expect: does not conform to protocol 'IntentValueQuery'
import AppIntents
import VisualIntelligence

struct Mug: Sendable {}

struct MugQuery: IntentValueQuery {
  func values(for input: SemanticContentDescriptor) async throws -> [Mug] { [] }
}
