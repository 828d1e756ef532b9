// expect: only one IntentValueQuery may take SemanticContentDescriptor; found MugQuery (SecondQuery.swift), StoreQuery (SecondQuery.swift)
import AppIntents
import VisualIntelligence

struct MugQuery: IntentValueQuery {
  func values(for input: SemanticContentDescriptor) async throws -> [String] { [] }
}

struct StoreQuery: IntentValueQuery {
  func values(for input: SemanticContentDescriptor) async throws -> [Int] { [] }
}
