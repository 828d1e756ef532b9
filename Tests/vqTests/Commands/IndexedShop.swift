import Foundation
import TestSupport
import Testing

/// The sample shop, indexed once for all tests of commands; none of them writes to the index.
enum IndexedShop {
  /// The folder of the index, and the run that made it.
  static let made = Result { try RunningVQ.indexingSampleShop() }

  static func path() throws -> String { try made.get().0.path + "/shop.vq" }
}

/// Expects what a command printed to be that of a golden file, apart from times, seals and folders, which change from run to run.
func expectGolden(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let steady =
    text.replacing(/"elapsedMs":[0-9.]+/, with: "\"elapsedMs\":0")
    // Sealed by the secret of the index.
    .replacing(/"continuation":"[-_A-Za-z0-9]+"/, with: "\"continuation\":\"…\"")
    .replacing(/in [0-9.]+ s\./, with: "in 0 s.")
    .replacing(SampleShop.folder.path, with: "Samples")
  let difference = GoldenFile.difference(of: steady, from: name, in: "../Golden")
  #expect(difference == nil, "\(difference ?? "")", sourceLocation: sourceLocation)
}
