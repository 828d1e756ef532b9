// The client that the wrong ones try to be, as Xcode accepts it: without this control, any error would do.
import AppIntents
import CoreVideo
import Foundation
import VisualIntelligence

struct Mug: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mug"
  static let defaultQuery = MugQuery()
  let id: String
  @Property(title: "Name") var name: String
  var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct MugQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [Mug] { [] }
  func suggestedEntities() async throws -> [Mug] { [] }
}

struct OpenMug: OpenIntent {
  static let title: LocalizedStringResource = "Open"
  @Parameter(title: "Mug") var target: Mug
  func perform() async throws -> some IntentResult { .result() }
}

struct SceneQuery: IntentValueQuery {
  func values(for input: SemanticContentDescriptor) async throws -> [Mug] { [] }
}

func jpeg(_ buffer: CVPixelBuffer) -> Data? { nil }

func upload(_ buffer: CVReadOnlyPixelBuffer) -> Data? { buffer.withUnsafeBuffer { jpeg($0) } }
