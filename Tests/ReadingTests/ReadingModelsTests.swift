import Foundation
import TestSupport
import Testing

@testable import Reading

@Suite struct ReadingModelsTests {
  @Test func `a folder that does not exist is missing`() {
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: "/nonexistent") }
    #expect(error?.code == .missing)
    #expect(error?.message.contains("/nonexistent/text-detector.onnx") == true)
  }

  @Test func `a folder without a recognizer names it`() throws {
    let folder = try ModelFolder(recognizer: nil)
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: folder.path) }
    #expect(error?.code == .missing)
    #expect(error?.message.contains(ReadingModels.recognizerName) == true)
  }

  @Test func `a huge file is refused before it is read`() throws {
    let folder = try ModelFolder(detector: nil)
    let path = folder.path + "/" + ReadingModels.detectorName
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(ReadingModels.modelLimit) + 1)
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: folder.path) }
    #expect(error?.code == .tooLarge)
  }

  @Test func `what is not a file is unreadable`() throws {
    let folder = try ModelFolder(detector: nil)
    let path = folder.path + "/" + ReadingModels.detectorName
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: folder.path) }
    #expect(error?.code == .unreadable)
  }

  @Test func `a digest is that of the bytes`() {
    let file = ModelFile(name: "x", bytes: Array("abc".utf8))
    #expect(
      file.digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct ModelCheckTests {
  private func error(
    detector: [UInt8] = ONNXModel.detector, recognizer: [UInt8] = ONNXModel.recognizer
  ) throws -> ReadingError? {
    let folder = try ModelFolder(detector: detector, recognizer: recognizer)
    do throws(ReadingError) {
      _ = try ReadingModels(folder: folder.path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `models that fit are opened, with their digests`() throws {
    let folder = try ModelFolder()
    let models = try ReadingModels(folder: folder.path)
    #expect(models.files.map(\.name) == [ReadingModels.detectorName, ReadingModels.recognizerName])
    #expect(models.files.allSatisfy { $0.digest.count == 64 })
    #expect(try error() == nil)
  }

  // Would break if a text file or half a download were found out at a query.
  @Test(arguments: [0, 1, 20, ONNXModel.detector.count / 2, ONNXModel.detector.count - 1])
  func `a damaged detector is corrupt`(count: Int) throws {
    let error = try #require(try error(detector: Array(ONNXModel.detector.prefix(count))))
    #expect([.corrupt, .otherShape].contains(error.code))
    #expect(error.message.contains(ReadingModels.detectorName))
  }

  @Test func `a file of another kind is corrupt`() throws {
    let error = try #require(try error(recognizer: Array("<html>Not found</html>".utf8)))
    #expect(error.code == .corrupt && error.message.contains(ReadingModels.recognizerName))
  }

  @Test func `a detector of another shape is refused`() throws {
    for shape: [Int?] in [[], [3], [nil, 1, nil, nil], [nil, 3, 224, 224], [2, 3, nil, nil]] {
      let error = try #require(try error(detector: ONNXModel.identity(shape: shape)))
      #expect(error.code == .otherShape, "\(shape)")
      #expect(error.message.contains("1 × 3 × any × any"))
    }
    // It takes an image, and gives one of three channels.
    let wide = try #require(
      try error(detector: ONNXModel.identity(shape: [nil, 3, nil, nil])))
    #expect(wide.code == .otherShape)
    // The roles are exchanged.
    #expect(try error(detector: ONNXModel.recognizer)?.code == .otherShape)
    #expect(try error(recognizer: ONNXModel.detector)?.code == .otherShape)
  }

  @Test func `a recognizer without its characters, or with others, is refused`() throws {
    let without = try #require(try error(recognizer: ONNXModel.recognizer(characters: nil)))
    #expect(without.code == .otherShape && without.message.contains("'character'"))
    let many = try #require(try error(recognizer: ONNXModel.recognizer(characters: "A\nB\nC\nD")))
    #expect(many.code == .otherShape)
    // With one character fewer, the last class is the space.
    #expect(try error(recognizer: ONNXModel.recognizer(characters: "A\n")) == nil)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `a model with changed bytes is opened or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = seed.isMultiple(of: 2) ? ONNXModel.detector : ONNXModel.recognizer
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      bytes[.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
    }
    _ = seed.isMultiple(of: 2) ? try error(detector: bytes) : try error(recognizer: bytes)
  }

  @Test func `a run that does not end is stopped`() throws {
    let folder = try ModelFolder()
    _ = try ReadingModels(folder: folder.path)
    let model = try Model(ONNXModel.endless, name: "endless")
    let image = Tensor(values: [Float](repeating: 0, count: 3 * 64), shape: [1, 3, 8, 8])
    var polls = 0
    let error = #expect(throws: ReadingError.self) {
      try model.run(image, outputLimit: 192) {
        polls += 1
        return polls > 2
      }
    }
    #expect(error?.code == .stopped)
  }

  @Test func `an output that is larger than expected is refused`() throws {
    let folder = try ModelFolder()
    _ = try ReadingModels(folder: folder.path)
    let model = try Model(ONNXModel.identity(shape: [nil, 3, nil, nil]), name: "identity")
    let image = Tensor(values: [Float](repeating: 0, count: 3 * 64), shape: [1, 3, 8, 8])
    let error = #expect(throws: ReadingError.self) {
      try model.run(image, outputLimit: 191) { false }
    }
    #expect(error?.code == .otherShape)
    #expect(try model.run(image, outputLimit: 192) { false }.values == image.values)
  }
}
