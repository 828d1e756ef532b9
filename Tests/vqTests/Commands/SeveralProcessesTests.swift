import Foundation
import TestSupport
import Testing
import VisualQuery

/// The changes that one process makes to a catalogue, as another sees them.
@Suite struct SeveralProcessesTests {
  /// A process that opened and closed the file beside SQLite lost its locks on it; the next `vq index` then
  /// took the log away, and the process saw its old generation for ever.
  @Test func `each generation of another process is seen`() throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/i.vq"
    var current: CurrentCatalogue?
    for generation in 1...5 {
      let row = #"{"type":"product","id":"p\#(generation)","title":"Thing"}"#
      let path = try folder.write(row, to: "g.jsonl")
      #expect(try RunningVQ(["index", path, "--index", index]).status == 0)
      if current == nil { current = try CurrentCatalogue(directory: index) }
      #expect(try current?.catalogue().generation == generation)
    }
  }
}
