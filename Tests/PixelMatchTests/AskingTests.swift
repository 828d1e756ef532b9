import TestSupport
import Testing

@testable import PixelMatch

/// The steps of a query over pixels and bytes: each asks often enough whether it should stop, and ends at the first yes.
@Suite struct AskingTests {
  struct Step: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The fewest questions for an image of 1024 × 1024 pixels, or for the bytes.
    let leastQuestions: Int
    /// Returns whether the step came to its end.
    let run: @Sendable (_ shouldStop: () -> Bool) -> Bool

    init(
      _ name: String, atLeast least: Int, _ run: @escaping @Sendable (() -> Bool) -> Bool
    ) {
      (testDescription, leastQuestions, self.run) = (name, least, run)
    }
  }

  private static let noise: PixelBuffer = {
    var generator = SeededGenerator(seed: 1)
    let bytes = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return try! PixelBuffer(width: 1024, height: 1024, format: .gray8, bytes: bytes)
  }()
  /// Plain lines part it into four, which are noise.
  private static let page: PixelBuffer = {
    var bytes = noise.bytes
    for line in 480..<544 {
      for place in 0..<1024 {
        bytes[line * 1024 + place] = 255
        bytes[place * 1024 + line] = 255
      }
    }
    return try! PixelBuffer(width: 1024, height: 1024, format: .gray8, bytes: bytes)
  }()
  private static let signature = QuerySignature(noise)
  private static let jpeg = noise.jpeg(quality: 50)
  /// A JPEG with 100 000 empty comments.
  private static let comments =
    Array(jpeg.prefix(2)) + ([0xFF, 0xFE, 0, 2] as [UInt8]).repeated(100_000)
    + Array(jpeg.dropFirst(2))
  /// A PNG with 100 000 empty chunks of pixels.
  private static let chunks: [UInt8] = {
    let file = PNGFile.black(width: 8, height: 8, isInterlaced: false)
    let end = file.count - 12
    return Array(file[..<end]) + PNGFile.chunk("IDAT", []).repeated(100_000) + Array(file[end...])
  }()

  private static func decodes(_ bytes: [UInt8], _ shouldStop: () -> Bool) -> Bool {
    do {
      _ = try ImageDecoder().decode(bytes, shouldStop: shouldStop)
      return true
    } catch {
      #expect(error.code == .cancelled)
      return false
    }
  }

  static let steps = [
    Step("glance", atLeast: 2) { ImageGlance(noise, shouldStop: $0) != nil },
    Step("signature", atLeast: 5) {
      QuerySignature(noise, isSent: true, shouldStop: $0) != nil
    },
    Step("windows", atLeast: 6) { WindowKeypoints(noise, signature, shouldStop: $0) != nil },
    Step("patches", atLeast: 6) { PatchCheck(noise, signature, shouldStop: $0) != nil },
    Step("page layout", atLeast: 32) { PageLayout.cells(of: page, shouldStop: $0) != nil },
    Step("filling", atLeast: 16) {
      noise.filling([ImageBox(x: 0, y: 0, width: 1, height: 1)], shouldStop: $0) != nil
    },
    Step("turning", atLeast: 16) { noise.upright(from: .right, $0) != nil },
    Step("decoding", atLeast: 64) { decodes(jpeg, $0) },
    Step("segments of a JPEG", atLeast: 20) { decodes(comments, $0) },
    Step("chunks of a PNG", atLeast: 20) { decodes(chunks, $0) },
  ]

  /// Would break if a step had a loop that no deadline ends.
  @Test(arguments: steps)
  func `a step asks often whether it should stop, and ends at the first yes`(step: Step) {
    let sign = StopSign()
    #expect(step.run(sign.ask))
    let questions = sign.questions
    #expect(questions >= step.leastQuestions)
    for share in stride(from: 0, to: 1, by: 0.09) {
      let stopped = StopSign(after: Int(share * Double(questions)))
      #expect(!step.run(stopped.ask))
      #expect(stopped.questions == Int(share * Double(questions)) + 1)
    }
  }

  /// Would break if a library got a row that takes it long, which no question interrupts.
  @Test func `a PNG with rows of many megabytes is rejected`() {
    var file = PNGFile.black(width: 8, height: 8, isInterlaced: false)
    // Its width, and 16 bits in each of four channels.
    file.replaceSubrange(16..<20, with: [0, 4, 0, 1])
    file.replaceSubrange(24..<26, with: [16, 6])
    let error = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: file) }
    #expect(error?.code == .tooMuchWork && error?.message.contains("2097160 bytes") == true)
  }

  /// Would break if the bytes of a file were read differently where they are given to the library in pieces.
  @Test func `what is between two questions changes no pixel`() throws {
    let plain = try ImageDecoder().decode(Self.jpeg)
    #expect(try ImageDecoder().decode(Self.comments).bytes == plain.bytes)
    let white = try ImageDecoder().decode(PNGFile.black(width: 8, height: 8, isInterlaced: false))
    #expect(try ImageDecoder().decode(Self.chunks).bytes == white.bytes)
  }
}

extension [UInt8] {
  fileprivate func repeated(_ times: Int) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(count * times)
    for _ in 0..<times { all += self }
    return all
  }
}
