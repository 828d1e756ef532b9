import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import Reading

/// The program's side of the processes of libraries. A shell script plays such a process, and says what it likes.
///
/// Each test is a process of its own: with library processes, all images of a program are decoded there.
@Suite struct LibraryProcessesTests {
  /// A worker that greets and then, for each job, sends `before`, and as its answer the job's number with `answer` behind it.
  private static func worker(answer: [UInt8], before: String = "") throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = folder.appendingPathComponent("worker").path
    // Magic number, libraries, restricted.
    let hello = bytes([0x7671_5731, 0b111111, 1] as [UInt32])
    try Data(hello).write(to: folder.appendingPathComponent("hello"))
    try Data(answer).write(to: folder.appendingPathComponent("answer"))
    let script = """
      #!/bin/sh
      cd '\(folder.path)'
      me=$$
      dd bs=4096 count=1 <&3 of=start.$me 2> /dev/null
      cat hello >&3
      while dd bs=4096 count=1 <&3 of=job.$me 2> /dev/null && [ -s job.$me ]; do
        \(before)
        head -c 16 job.$me | cat - answer > said.$me
        cat said.$me >&3
      done
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    return program
  }

  private static func bytes(_ numbers: [UInt32]) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
  }

  /// The bytes of an answer behind the number of its job.
  private static func answer(
    status: UInt32 = 0, isLast: UInt32 = 0, _ numbers: [UInt32] = [],
    outputCount: [UInt32] = [0, 0],
    message: [UInt8] = []
  ) -> [UInt8] {
    bytes(
      [status, isLast] + numbers + [UInt32](repeating: 0, count: 4 - numbers.count) + outputCount)
      + message + [UInt8](repeating: 0, count: 200 - message.count)
  }

  /// The header of a GIF of 4 × 3 pixels, of which the header is read before a process gets it.
  private static let image: [UInt8] =
    Array("GIF89a".utf8) + [4, 0, 3, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    + [0x2C, 0, 0, 0, 0, 4, 0, 3, 0, 0] + [2, 2, 0x4C, 0x01, 0, 0x3B]

  private static func start(_ program: String) -> String? {
    LibraryProcesses.start(
      count: 2, limits: DecodeLimits(byteLimit: 1 << 20, memoryLimit: 16 << 20), program: program)
  }

  private static func error() -> DecodeError? {
    do throws(DecodeError) {
      _ = try ImageDecoder().decode(image) { false }
      return nil
    } catch {
      return error
    }
  }

  // Would break if a size, a status or a text of a process were believed.
  @Test func `what a process cannot have meant is an error, and replaces it`() async {
    await #expect(processExitsWith: .success) {
      let opened = LibraryProcessesTests.answer([4, 3])
      let hostile: [(name: String, answer: [UInt8], before: String)] = [
        ("nothing but a number", [], ""),
        ("a part", Array(opened.dropLast()), ""),
        ("too much", opened + [0], ""),
        ("a wider image", LibraryProcessesTests.answer([5, 3]), ""),
        ("a narrower image", LibraryProcessesTests.answer([3, 3]), ""),
        ("no columns", LibraryProcessesTests.answer([0, 3]), ""),
        ("the largest rows", LibraryProcessesTests.answer([4, .max]), ""),
        ("a status that no decoder has", LibraryProcessesTests.answer(status: 77, isLast: 1), ""),
        ("an error that goes on", LibraryProcessesTests.answer(status: 3), ""),
        ("an end without rows", LibraryProcessesTests.answer(isLast: 1, [4, 3]), ""),
        ("a flag that is none", LibraryProcessesTests.answer(isLast: 2, [4, 3]), ""),
        (
          "more than was asked for", LibraryProcessesTests.answer([4, 3], outputCount: [49, 0]), ""
        ),
        ("much more", LibraryProcessesTests.answer([4, 3], outputCount: [.max, .max]), ""),
        // The first answer is right and comes twice: as the second one, it is not the last.
        (
          "the size again", opened,
          "head -c 16 job.$me | cat - answer > first.$me; cat first.$me >&3"
        ),
        (
          "another number", opened,
          "head -c 8 answer | cat job.$me - | tail -c 16 > job2.$me; mv job2.$me job.$me"
        ),
        ("three letters", opened, "printf abc >&3"),
      ]
      for (count, (name, answer, before)) in hostile.enumerated() {
        let program = try LibraryProcessesTests.worker(answer: answer, before: before)
        #expect(LibraryProcessesTests.start(program) == nil)
        #expect(LibraryProcessesTests.error()?.code == .corrupt, "\(name)")
        let replaced = LibraryProcesses.restarts.filter {
          $0.library == .giflib && $0.end == .nonsense
        }
        #expect(replaced.map(\.count) == [count + 1], "\(name)")
        LibraryProcesses.stop()
        #expect(LibraryProcesses.count == 0)
      }
    }
  }

  @Test func `the text of a process is cleaned`() async {
    await #expect(processExitsWith: .success) {
      let text: [UInt8] = Array("bad".utf8) + [0x1B, 0x07, 0x0A, 0xFF] + Array("end".utf8)
      let program = try LibraryProcessesTests.worker(
        answer: LibraryProcessesTests.answer(status: 3, isLast: 1, message: text))
      #expect(LibraryProcessesTests.start(program) == nil)
      #expect(LibraryProcessesTests.error()?.message == "GIF is damaged: bad????end")
      // An error of the library is an answer, and the process goes on.
      #expect(LibraryProcesses.restarts.allSatisfy { $0.count == 0 })
      LibraryProcesses.stop()
    }
  }

  // Would break if a text without an end were read beyond it.
  @Test func `a text without an end ends`() async {
    await #expect(processExitsWith: .success) {
      let program = try LibraryProcessesTests.worker(
        answer: LibraryProcessesTests.answer(
          status: 3, isLast: 1, message: [UInt8](repeating: UInt8(ascii: "x"), count: 200)))
      #expect(LibraryProcessesTests.start(program) == nil)
      #expect(
        LibraryProcessesTests.error()?.message == "GIF is damaged: "
          + String(repeating: "x", count: 199))
      LibraryProcesses.stop()
    }
  }

  @Test func `a process that says nothing is killed when its client waits no longer`() async {
    await #expect(processExitsWith: .success) {
      let program = try LibraryProcessesTests.worker(answer: [], before: "while :; do :; done")
      #expect(LibraryProcessesTests.start(program) == nil)
      var questions = 0
      do throws(DecodeError) {
        _ = try ImageDecoder().decode(LibraryProcessesTests.image) {
          questions += 1
          return questions > 20
        }
        Issue.record("decoded")
      } catch {
        #expect(error.code == .cancelled)
      }
      LibraryProcesses.stop()
      #expect(LibraryProcesses.count == 0)
    }
  }

  // Would break if a program that cannot work were started again without end, or waited for.
  @Test func `a program that is none of these ends the start with a reason`() async {
    await #expect(processExitsWith: .success) {
      #expect(LibraryProcessesTests.start("/bin/true")?.isEmpty == false)
      #expect(LibraryProcessesTests.start("/nonexistent")?.isEmpty == false)
      #expect(LibraryProcesses.count == 0)
      // Then images are decoded here; this one lacks pixels.
      #expect(LibraryProcessesTests.error()?.code != .cancelled)
    }
  }

  @Test func `a process of tests is none of a server`() {
    #expect(!LibraryProcesses.work())
  }

  /// The outcome of a run in a process that writes an output, its head first, and answers with its size.
  ///
  /// The input has 3 × 32 × 32 numbers, which end at the border of the third page of the shared memory.
  private static func vector(
    _ numbers: [Int64], _ values: [Float] = [], byteCount: Int? = nil, status: UInt32 = 0
  ) throws -> Result<[Float], ReadingError> {
    let output =
      unsafe numbers.withUnsafeBytes { unsafe Array($0) }
      + values.withUnsafeBytes { unsafe Array($0) }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(output).write(to: file)
    let answer = answer(
      status: status, isLast: 1, outputCount: [UInt32(byteCount ?? output.count), 0])
    let program = try worker(
      answer: answer,
      before: "dd if='\(file.path)' of=/dev/fd/4 bs=4096 seek=3 conv=notrunc 2> /dev/null")
    let folder = try ModelFolder(image: ONNXModel.encoder())
    let models = try ReadingModels(folder: folder.path)
    #expect(models.isolate(count: 1, program: program) == nil)
    defer { ReadingModels.stopProcesses() }
    let image = try PixelBuffer(
      width: 32, height: 32, format: .rgba8, bytes: [UInt8](repeating: 255, count: 4096))
    let encoder = try #require(models.image)
    do throws(ReadingError) {
      return .success(try encoder.vector(of: image))
    } catch {
      return .failure(error)
    }
  }

  // Would break if a shape or a size of an output were believed.
  @Test(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
  func `an output that a process cannot have meant fails the run`() async {
    await #expect(processExitsWith: .success) {
      let sides: [Int64] = [1, 3, 0, 0, 0, 0, 0, 0]
      let right = try LibraryProcessesTests.vector([2, 3] + sides, [0, 3, 4])
      #expect(try right.get() == [0, 0.6, 0.8])
      #expect(LibraryProcesses.restarts.allSatisfy { $0.count == 0 })
      let hostile: [([Int64], [Float], byteCount: Int?, status: UInt32)] = [
        ([9, 3] + sides, [0, 3, 4], nil, 0), ([-2, 3] + sides, [0, 3, 4], nil, 0),
        ([.max, 3] + sides, [0, 3, 4], nil, 0), ([2, 3] + sides, [0, 3], nil, 0),
        ([2, 3, 1, -3, 0, 0, 0, 0, 0, 0], [0, 3, 4], nil, 0),
        ([2, 3, 1 << 40, 1 << 40, 0, 0, 0, 0, 0, 0], [0, 3, 4], nil, 0),
        ([2, 3] + sides, [0, 3, 4], 79, 0), ([2, 3] + sides, [0, 3, 4], 0, 0),
        ([2, 3] + sides, [0, 3, 4], 93, 0), ([2, 3] + sides, [0, 3, 4], 1 << 30, 0),
        ([-1, 3] + sides, [0, 3, 4], nil, 0), ([2, 3] + sides, [0, 3, 4], nil, 4),
        ([2, 3] + sides, [0, 3, 4], nil, 99),
      ]
      for (index, (numbers, values, byteCount, status)) in hostile.enumerated() {
        let outcome = try LibraryProcessesTests.vector(
          numbers, values, byteCount: byteCount, status: status)
        guard case .failure(let error) = outcome else {
          Issue.record("\(index) was believed")
          continue
        }
        #expect(error.code == .failed && error.message.contains("nonsense"), "\(index)")
      }
      // What cannot be read is an answer of a right process, too.
      #expect(throws: ReadingError.self) {
        try LibraryProcessesTests.vector([-1, 0] + sides).get()
      }
    }
  }
}
