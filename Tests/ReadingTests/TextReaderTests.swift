import PixelMatch
import TestSupport
import Testing

@testable import Reading

@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct TextReaderTests {
  private let folder: ModelFolder
  private let reader: TextReader

  init() throws {
    folder = try ModelFolder()
    reader = try #require(try ReadingModels(folder: folder.path).text)
  }

  // Would break if a box were cut out mirrored, or from the wrong corner.
  @Test(arguments: [0, 10, -20, 35, -40, 60, 90, 120])
  func `a line is read at any angle up to downward`(degrees: Double) async throws {
    let image = try DrawnLine.image("AABA", degrees: degrees)
    let reading = try await reader.text(in: image, options: .init(side: 160))
    #expect(reading.lines.map(\.text) == ["ABA"])
    #expect(reading.isComplete && reading.unreadCount == 0)
    let line = try #require(reading.lines.first)
    #expect((0.8...1).contains(line.certainty))
    #expect(line.corners.count == 4)
  }

  @Test func `the corners follow the direction of reading`() async throws {
    let reading = try await reader.text(
      in: try DrawnLine.image("AB"), options: .init(side: 160))
    let corners = try #require(reading.lines.first?.corners)
    #expect(corners[0].x < corners[1].x && corners[0].y < corners[3].y)
    #expect(corners[0].x > 0.2 && corners[1].x < 0.8)
    let turned = try await reader.text(
      in: try DrawnLine.image("AB", degrees: 90), options: .init(side: 160))
    #expect(turned.lines.map(\.text) == ["AB"])
    let downward = try #require(turned.lines.first?.corners)
    #expect(downward[0].y < downward[1].y && downward[0].x > downward[3].x)
  }

  @Test func `an image without text has no lines`() async throws {
    let image = try PixelBuffer(
      width: 50, height: 40, format: .gray8, bytes: [UInt8](repeating: 20, count: 2000))
    #expect(try await reader.text(in: image) == TextReading())
  }

  @Test(arguments: [(1, 1), (1, 2000), (2000, 1), (31, 33)])
  func `images of any shape are read`(width: Int, height: Int) async throws {
    let bytes = [UInt8](repeating: 255, count: width * height)
    let image = try PixelBuffer(width: width, height: height, format: .gray8, bytes: bytes)
    let reading = try await reader.text(in: image)
    #expect(reading.isComplete && reading.lines.count <= 1)
  }

  @Test func `the largest lines are read, and others are counted`() async throws {
    var bytes = (0..<4 * 160 * 128).map { UInt8($0 % 4 == 3 ? 255 : 0) }
    for (top, height) in [(10, 10), (60, 20), (110, 6)] {
      for y in top..<top + height {
        for x in 20..<140 { bytes[4 * (160 * y + x) + 1] = 255 }
      }
    }
    let image = try PixelBuffer(width: 160, height: 128, format: .rgba8, bytes: bytes)
    let reading = try await reader.text(in: image, options: .init(side: 160, lineLimit: 2))
    #expect(reading.lines.map(\.text) == ["A", "A"])
    #expect(reading.unreadCount == 1 && reading.isComplete)
    #expect((0.4...0.6).contains(reading.lines[0].corners[0].y + 0.1))
  }

  @Test func `the threads do not matter`() async throws {
    let image = try DrawnLine.image("ABAB", degrees: 20)
    let one = try await reader.text(in: image, options: .init(side: 160, threads: 1))
    let three = try await reader.text(in: image, options: .init(side: 160, threads: 3))
    #expect(one == three && one.lines.count == 1)
  }

  @Test func `a reading that is stopped is incomplete`() async throws {
    let image = try DrawnLine.image("ABAB")
    let reading = try await reader.text(in: image, options: .init(side: 160)) { true }
    #expect(reading.lines.isEmpty && !reading.isComplete)
    let late = try await reader.text(in: image, options: .init(side: 160), until: .now)
    #expect(late.lines.isEmpty && !late.isComplete)
  }

  @Test func `an image that is looked at twice has its lines once`() async throws {
    let image = try DrawnLine.image("ABAB", width: 640, height: 480, lineHeight: 60, degrees: 10)
    let reading = try await reader.text(in: image, options: .init(side: 640))
    #expect(reading.lines.map(\.text) == ["ABAB"] && reading.isComplete)
  }

  @Test func `an image that is all text is read up to the limit`() async throws {
    let image = try PixelBuffer(
      width: 320, height: 320, format: .rgba8,
      bytes: (0..<320 * 320).flatMap { index -> [UInt8] in
        // Lines of 6 pixels, 4 apart.
        [0, index / 320 % 10 < 6 ? 255 : 0, 0, 255]
      })
    let reading = try await reader.text(in: image, options: .init(side: 320, lineLimit: 5))
    #expect(reading.lines.count == 5 && reading.unreadCount == 27 && reading.isComplete)
  }
}
