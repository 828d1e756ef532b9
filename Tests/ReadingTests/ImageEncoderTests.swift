import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import Reading

@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct ImageEncoderTests {
  private func encoder(
    _ model: [UInt8] = ONNXModel.encoder(), _ configuration: String = ModelFolder.configuration
  ) throws -> ImageEncoder {
    let folder = try ModelFolder(image: model, configuration: configuration)
    return try #require(try ReadingModels(folder: folder.path).image)
  }

  private func error(
    _ model: [UInt8]? = ONNXModel.encoder(), _ configuration: String? = ModelFolder.configuration
  ) throws -> ReadingError? {
    let folder = try ModelFolder(image: model, configuration: configuration)
    do throws(ReadingError) {
      _ = try ReadingModels(folder: folder.path)
      return nil
    } catch {
      return error
    }
  }

  /// An image whose left part is one color and whose right part is another one.
  private func image(
    width: Int = 60, height: Int = 40, left: Int, _ color: [UInt8], _ other: [UInt8]
  ) throws -> PixelBuffer {
    let bytes: [UInt8] = (0..<width * height).flatMap { place -> [UInt8] in
      (place % width < left ? color : other) + [255]
    }
    return try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes)
  }

  private func expectNear(_ vector: [Float], _ other: [Float], within limit: Float = 0.01) {
    #expect(vector.count == other.count)
    #expect(
      zip(vector, other).allSatisfy { ($0 - $1).magnitude < limit }, "\(vector), not \(other)")
  }

  @Test func `a folder may have only an encoder of images`() throws {
    let folder = try ModelFolder(image: ONNXModel.encoder())
    let models = try ReadingModels(folder: folder.path)
    #expect(models.text == nil && models.files.isEmpty)
    let image = try #require(models.image)
    #expect(image.dimensions == 3)
    #expect(image.files.map(\.name) == [ImageEncoder.modelName, ImageEncoder.configurationName])
    #expect(image.name.hasPrefix(ImageEncoder.modelName + " "))
  }

  @Test func `text and images may be in one folder`() throws {
    let folder = try ModelFolder()
    try folder.put()
    let models = try ReadingModels(folder: folder.path)
    #expect(models.text != nil && models.image != nil)
    #expect(models.files.map(\.name) == [ReadingModels.detectorName, ReadingModels.recognizerName])
  }

  // Would break if an index took vectors of another preparation for comparable ones.
  @Test func `another model or another preparation has another name`() throws {
    let first = try encoder()
    #expect(try encoder().name == first.name)
    #expect(try encoder(ONNXModel.encoder(height: nil)).name != first.name)
    #expect(
      try encoder(
        ONNXModel.encoder(),
        ModelFolder.configuration.replacing("\"resample\": 2", with: "\"resample\": 3")
      ).name != first.name)
  }

  @Test(arguments: [false, true], [false, true])
  func `every order and width of numbers gives the same vector`(
    isChannelsLast: Bool, isHalf: Bool
  ) throws {
    let encoder = try encoder(
      ONNXModel.encoder(isChannelsLast: isChannelsLast, isHalf: isHalf))
    let vector = try encoder.vector(of: image(left: 60, [255, 191, 128], [0, 0, 0]))
    let length = Float(1 + 0.25 + 0).squareRoot()
    expectNear(vector, [1 / length, 0.5 / length, 0], within: isHalf ? 0.005 : 0.004)
    expectNear([vector.reduce(0) { $0 + $1 * $1 }], [1], within: 1e-5)
  }

  @Test(arguments: [false, true])
  func `a map of one or several places is averaged`(isChannelsLast: Bool) throws {
    let pooled = try encoder(
      ONNXModel.encoder(isChannelsLast: isChannelsLast, keepsPlaces: true))
    let whole = try encoder(
      ONNXModel.identity(shape: isChannelsLast ? [1, 32, 32, 3] : [1, 3, 32, 32]))
    let picture = try image(left: 20, [250, 20, 90], [10, 200, 120])
    expectNear(try pooled.vector(of: picture), try whole.vector(of: picture), within: 1e-4)
  }

  @Test func `of several outputs, the one with a known name is taken`() throws {
    let picture = try image(left: 60, [255, 128, 128], [0, 0, 0])
    let projected = try encoder(ONNXModel.encoder(outputs: ["last_hidden_state", "image_embeds"]))
    expectNear(try projected.vector(of: picture), [1, 0, 0])
    let other = try encoder(ONNXModel.encoder(outputs: ["image_embeds", "pooler_output"]))
    expectNear(try other.vector(of: picture), [-1, 0, 0])
    let unknown = try #require(try error(ONNXModel.encoder(outputs: ["a", "b"])))
    #expect(unknown.code == .otherShape)
    #expect(unknown.message.contains("'a', 'b'") && unknown.message.contains("pooler_output"))
  }

  // Would break if an image were squeezed, or its middle missed.
  @Test func `the part of the image is that of the configuration`() throws {
    let picture = try image(left: 15, [255, 128, 128], [128, 255, 128])
    let squeezed = try encoder().vector(of: picture)
    #expect(squeezed[0] > 0.2 && squeezed[1] > 0.8)
    let crop = #"""
      {"size": {"shortest_edge": 32}, "do_center_crop": true, "crop_size": {"height": 32, "width": 32},
      "image_mean": 0.5, "image_std": 0.5}
      """#
    let cropped = try encoder(ONNXModel.encoder(), crop).vector(of: picture)
    #expect(cropped[0] < squeezed[0] / 1.5 && cropped[1] > 0.9)
    // A number is the shorter side if the middle is cropped, and 64 leaves half of it.
    let half = #"{"size": 64, "crop_size": 32, "image_mean": [0.5], "image_std": [0.5]}"#
    let inner = try encoder(ONNXModel.encoder(height: nil, width: nil), half).vector(of: picture)
    expectNear(inner, [0, 1, 0], within: 0.02)
  }

  @Test(arguments: 0...5)
  func `every filter keeps a plain color`(filter: Int) throws {
    let configuration = ModelFolder.configuration.replacing(
      "\"resample\": 2", with: "\"resample\": \(filter)")
    let encoder = try encoder(ONNXModel.encoder(), configuration)
    for (width, height) in [(1, 1), (7, 300), (900, 20), (32, 32)] {
      let vector = try encoder.vector(
        of: image(width: width, height: height, left: width, [255, 128, 255], [0, 0, 0]))
      expectNear(vector, [0.707, 0.003, 0.707])
    }
  }

  @Test func `values are scaled as the configuration says`() throws {
    let raw = #"{"size": 32, "do_rescale": false, "do_normalize": false, "do_center_crop": false}"#
    expectNear(
      try encoder(ONNXModel.encoder(), raw).vector(
        of: image(left: 60, [30, 40, 0], [0, 0, 0])), [0.6, 0.8, 0])
    let shifted = #"{"size": 32, "image_mean": [0, 0.5, 0], "image_std": [1, 0.5, 1]}"#
    expectNear(
      try encoder(ONNXModel.encoder(), shifted).vector(
        of: image(left: 60, [255, 255, 0], [0, 0, 0])), [0.707, 0.707, 0])
  }

  @Test func `a model without its configuration is missing it`() throws {
    let error = try #require(try error(ONNXModel.encoder(), nil))
    #expect(error.code == .missing && error.message.contains(ImageEncoder.configurationName))
  }

  @Test(arguments: [
    "", "[]", "nonsense", #"{"size": "large"}"#, #"{"size": 32, "image_mean": [1, 2]}"#,
    #"{"size": 32, "image_mean": 0.5, "image_std": [0, 1, 1]}"#, #"{"size": 32, "resample": 6}"#,
    #"{"size": 32, "rescale_factor": 0}"#, #"{"size": -32}"#, #"{"size": 100000}"#,
    #"{"size": {"shortest_edge": 32}, "crop_pct": 0}"#, #"{"size": 1e30}"#,
  ])
  func `a configuration that makes no sense is corrupt`(configuration: String) throws {
    let error = try #require(
      try error(ONNXModel.encoder(height: nil, width: nil), configuration))
    #expect(error.code == .corrupt && error.message.contains(ImageEncoder.configurationName))
  }

  @Test func `a configuration of another size than the model takes is refused`() throws {
    let other = try #require(try error(ONNXModel.encoder(), #"{"size": 48}"#))
    #expect(other.code == .otherShape)
    #expect(other.message.contains("48 × 48") && other.message.contains("32 × 32"))
    let large = try #require(
      try error(ONNXModel.encoder(height: nil, width: nil), #"{"size": 2048}"#))
    #expect(large.code == .otherShape)
    // If the configuration has no size, that of the model is used.
    #expect(try error(ONNXModel.encoder(), "{}") == nil)
    #expect(try error(ONNXModel.encoder(height: nil), "{}")?.code == .corrupt)
  }

  @Test func `a model of another shape is refused when it is opened`() throws {
    for shape: [Int?] in [
      [], [3], [1, 3, 32], [nil, 1, 32, 32], [2, 3, 32, 32], [1, 3, 2048, 2048],
    ] {
      let error = try #require(try error(ONNXModel.identity(shape: shape), "{}"))
      #expect(error.code == .otherShape, "\(shape)")
    }
    let sided = try #require(try error(ONNXModel.identity(shape: [1, 3, 8, 32]), "{}"))
    #expect(sided.code == .otherShape)
    let text = try #require(try error(ONNXModel.recognizer))
    #expect(text.code == .otherShape)
  }

  @Test(arguments: [0, 1, 20, 100])
  func `a damaged model is corrupt`(count: Int) throws {
    let error = try #require(try error(Array(ONNXModel.encoder().prefix(count))))
    #expect([.corrupt, .otherShape].contains(error.code))
    #expect(error.message.contains(ImageEncoder.modelName))
  }

  @Test func `a huge model is refused before it is read`() throws {
    let folder = try ModelFolder(image: [])
    let file = try #require(
      FileHandle(forWritingAtPath: folder.path + "/" + ImageEncoder.modelName))
    try file.truncate(atOffset: UInt64(ImageEncoder.modelLimit) + 1)
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: folder.path) }
    #expect(error?.code == .tooLarge)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `a model with changed bytes is opened or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = ONNXModel.encoder(isHalf: seed.isMultiple(of: 2))
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      bytes[.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
    }
    _ = try error(bytes)
  }

  @Test func `an image without features fails, and a stopped one says so`() throws {
    let encoder = try encoder()
    let none = #"{"size": 32, "do_normalize": false}"#
    let error = #expect(throws: ReadingError.self) {
      try self.encoder(ONNXModel.encoder(), none).vector(
        of: image(left: 60, [0, 0, 0], [0, 0, 0]))
    }
    #expect(error?.code == .failed)
    let picture = try image(left: 60, [255, 0, 0], [0, 0, 0])
    do {
      _ = try encoder.start(picture).vector { true }
    } catch {
      #expect(error.code == .stopped)
    }
    // A computation that nobody waits for ends when its last reference is released.
    _ = try encoder.start(picture)
  }
}
