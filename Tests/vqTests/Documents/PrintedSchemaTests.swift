import Foundation
import TestSupport
import Testing

@testable import vq

/// The files with schemas that people and other programs read, against the declarations that they are printed from.
@Suite struct PrintedSchemaTests {
  /// Would break if a declaration were changed, and the file that the server serves or that clients download were not.
  /// `RECORD_GOLDEN=1` writes the files.
  @Test func `the files are those that the program prints`() {
    let root = "../../.."
    #expect(
      GoldenFile.difference(
        of: OpenAPI.text, from: "openapi.json", in: root + "/Sources/CServer/files") == nil)
    for document in PrintedDocument.all {
      #expect(
        GoldenFile.difference(
          of: document.file, from: document.fileName, in: root + "/docs/schemas") == nil)
    }
  }

  @Test func `every endpoint is described once`() {
    let described = Operation.all.map(\.endpoint)
    let served = Endpoint.all.map { "\($0.method) \($0.path)" }
      .filter {
        !$0.hasPrefix("GET /page/") && $0 != "GET /" && !$0.hasPrefix("GET /.well-known/")
          && $0 != "POST /mcp"
      }
    #expect(described.sorted() == served.sorted())
    #expect(Set(Operation.all.map(\.name)).count == described.count)
  }

  @Test func `the folder of schemas has a file for each`() throws {
    let folder = try TemporaryDirectory()
    let run = try RunningVQ(["help", "--schemas", folder.path])
    try #require(run.status == 0, "\(run.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == Set(PrintedDocument.all.map(\.fileName) + ["openapi.json"]))
    #expect(
      try String(contentsOfFile: folder.path + "/openapi.json", encoding: .utf8) == OpenAPI.text)
  }
}
