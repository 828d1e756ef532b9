@testable import ShopSearch
import Reading
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

@Suite struct ImageReadingTests {
  private static let models = ["a", "b"].map {
    ModelFile(name: $0, digest: String(repeating: $0, count: 64))
  }
  private static let corners = [(0.1, 0.2), (0.9, 0.2), (0.9, 0.3), (0.1, 0.3)].map {
    ReadPoint(x: $0.0, y: $0.1)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a reading is written and read back`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let reading = ImageReading(
      models: Self.models,
      lines: (0..<3).map { _ in
        TextLine(text: generator.drawnText(), certainty: 0.9871, corners: Self.corners)
      },
      codes: [ReadCode(kind: .qr, value: generator.drawnText(), corners: [])],
      unreadCount: Int(seed))
    let json = try JSONValue(stored: reading.json.text)
    #expect(ImageReading(json: json, models: Self.models) == reading)
    let names = try JSONValue(stored: ImageReading.json(of: Self.models).text)
    #expect(ImageReading.models(names) == Self.models)
  }

  @Test(arguments: [
    "[]", "{}", #"{"lines":[],"codes":[]}"#, #"{"lines":[{}],"codes":[],"unread":0}"#,
    #"{"lines":[{"text":"a","certainty":1,"corners":[[1]]}],"codes":[],"unread":0}"#,
    #"{"lines":[{"text":"a","certainty":1,"corners":[[1,1],[1,1],[1,1],[1,1],[1,1]]}],"codes":[],"unread":0}"#,
    #"{"lines":[],"codes":[{"kind":"maxicode","value":"1","corners":[]}],"unread":0}"#,
  ])
  func `other JSON is not a reading`(text: String) throws {
    #expect(ImageReading(json: try JSONValue(stored: text), models: Self.models) == nil)
  }

  @Test func `other models have another name`() {
    #expect(ImageReading.id(of: Self.models) == "1-aaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb")
  }
}
