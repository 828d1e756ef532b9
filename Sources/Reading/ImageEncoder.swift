package import PixelMatch

/// Computes the features of images by a model, such as those of CLIP, SigLIP, MobileCLIP, DINOv2 or EfficientNet.
///
/// A folder has the model in ``modelName`` and its preparation of an image in ``configurationName``, as they are published.
/// Both are checked when they are opened.
package struct ImageEncoder: Sendable {
  /// The name of the model in a folder.
  package static let modelName = "image/model.onnx"
  /// The name of the file that says how an image is prepared.
  package static let configurationName = "image/preprocessor_config.json"
  /// The most bytes of a model.
  package static let modelLimit = 1 << 30
  /// The numbers of features that an image may have.
  package static let dimensions = ImageEmbedding.dimensions
  /// The names of the output that is taken if a model has several: what was projected first, then what was pooled.
  static let outputs = [
    "image_embeds", "image_features", "image_embeddings", "pooler_output", "pooled_output",
    "embedding", "embeddings", "features", "last_hidden_state",
  ]
  /// The most numbers of an output: features of all parts of an image, of which those of the whole image are taken.
  private static let outputLimit = 1 << 22

  /// The name by which an index remembers the model: vectors of another name are not comparable.
  package let name: String
  /// The files, in the order of their names.
  package let files: [ModelFile]
  /// The number of features.
  package let dimensions: Int
  let model: Model
  private let preparation: ImagePreparation
  private let isChannelsLast: Bool

  /// Opens the encoder of a folder; the library that runs models must be loaded.
  ///
  /// - Throws: ``ReadingError``.
  init(folder: String) throws(ReadingError) {
    let bytes = try ModelFile.bytes(of: folder + "/" + Self.modelName, limit: Self.modelLimit)
    let configuration = try ModelFile.bytes(
      of: folder + "/" + Self.configurationName, limit: ImagePreparation.byteLimit)
    try self.init(
      Model(bytes, name: Self.modelName, outputs: Self.outputs), configuration: configuration,
      files: [
        ModelFile(name: Self.modelName, bytes: bytes),
        ModelFile(name: Self.configurationName, bytes: configuration),
      ])
  }

  /// Checks that a model takes and gives what it should.
  ///
  /// - Throws: ``ReadingError`` with the code `corrupt`, `otherShape` or `failed`.
  private init(
    _ model: Model, configuration: [UInt8], files: [ModelFile]
  ) throws(ReadingError) {
    let input = model.shape(ofOutput: false)
    guard model.inputCount == 1, let input, input.count == 4, input[0] ?? 1 == 1 else {
      throw Self.otherInput(model, input)
    }
    // A batch has one image; larger ones are no faster on a processor.
    switch (input[1], input[3]) {
    case (3, _): isChannelsLast = false
    case (_, 3): isChannelsLast = true
    case (nil, _): isChannelsLast = false
    default: throw Self.otherInput(model, input)
    }
    let sides = isChannelsLast ? (input[1], input[2]) : (input[2], input[3])
    preparation = try ImagePreparation(configuration, height: sides.0, width: sides.1)
    self.model = model
    self.files = files.sorted { $0.name < $1.name }
    // The name covers the digests of both files, because another preparation also leads to
    // other vectors.
    let digests = ModelFile(
      name: "", bytes: Array(self.files.map(\.digest).joined(separator: " ").utf8)
    ).digest
    name = "\(Self.modelName) \(digests.prefix(16))"
    let shape =
      isChannelsLast
      ? [1, preparation.height, preparation.width, 3]
      : [1, 3, preparation.height, preparation.width]
    let output = try model.runOnZeros(shape: shape, outputLimit: Self.outputLimit)
    guard let features = Self.features(of: output, isChannelsLast: isChannelsLast),
      Self.dimensions.contains(features.count)
    else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) gives \(TextDetector.text(of: output.shape)); an encoder of images gives one vector, 1 × \
          \(Self.dimensions.lowerBound) to \(Self.dimensions.upperBound)
          """)
    }
    dimensions = features.count
  }

  private static func otherInput(_ model: Model, _ input: [Int?]?) -> ReadingError {
    let count = model.inputCount
    return ReadingError(
      code: .otherShape,
      message: """
        \(model.name) takes \(count == 1 ? TextDetector.text(of: input) : "\(count) inputs"); an encoder of images takes \
        one image, 1 × 3 × height × width or 1 × height × width × 3
        """)
  }

  /// Returns the features of the whole image, or `nil` if the output has another shape. A vector is used as it is; in
  /// a list of vectors, the first one is that of the whole image; a map is averaged over its places.
  private static func features(of output: Tensor, isChannelsLast: Bool) -> [Float]? {
    let shape = output.shape
    guard !output.values.isEmpty else { return nil }
    switch shape.count {
    case 1: return output.values
    case 2 where shape[0] == 1: return output.values
    case 3 where shape[0] == 1: return Array(output.values.prefix(shape[2]))
    case 4 where shape[0] == 1:
      let channels = isChannelsLast ? shape[3] : shape[1]
      let places = output.values.count / max(1, channels)
      let (step, stride) = isChannelsLast ? (1, channels) : (places, 1)
      return (0..<channels).map { channel in
        var sum: Float = 0
        for place in 0..<places { sum += output.values[channel * step + place * stride] }
        return sum / Float(places)
      }
    default: return nil
    }
  }

  /// Starts to compute the features of an image, on a thread of its own.
  ///
  /// - Throws: ``ReadingError`` with the code `failed`.
  package func start(_ image: PixelBuffer) throws(ReadingError) -> ImageEncoding {
    let values = preparation.values(of: image, isChannelsLast: isChannelsLast)
    let (height, width) = (preparation.height, preparation.width)
    let run = try ModelRun(
      model,
      Tensor(
        values: values, shape: isChannelsLast ? [1, height, width, 3] : [1, 3, height, width]))
    return ImageEncoding(run: run, encoder: self)
  }

  /// Returns the features of an image, a vector of length 1.
  ///
  /// - Parameter shouldStop: Returns whether to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  package func vector(
    of image: PixelBuffer, shouldStop: () -> Bool = { false }
  ) throws(ReadingError) -> [Float] {
    try start(image).vector(shouldStop: shouldStop)
  }

  /// Returns the vector of length 1 of an output.
  fileprivate func vector(of output: Tensor) throws(ReadingError) -> [Float] {
    guard
      let features = Self.features(of: output, isChannelsLast: isChannelsLast),
      features.count == dimensions
    else {
      throw ReadingError(
        code: .otherShape,
        message: "\(model.name) gives \(TextDetector.text(of: output.shape)) for one image")
    }
    return try Self.unit(features, of: model.name, for: "an image")
  }

  /// Returns features as a vector of length 1.
  static func unit(
    _ features: [Float], of model: String, for content: String
  ) throws(ReadingError) -> [Float] {
    let length = features.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    guard length.isFinite, length > 0 else {
      throw ReadingError(
        code: .failed, message: "\(model) gives no finite numbers, or only zeros, for \(content)")
    }
    return features.map { Float(Double($0) / length) }
  }

  fileprivate func finished(
    _ run: ModelRun, shouldStop: () -> Bool
  ) throws(ReadingError) -> [Float] {
    try vector(of: run.wait(outputLimit: Self.outputLimit, shouldStop: shouldStop))
  }
}

/// The computation of the features of one image, which runs until it is done or its last reference is gone.
package struct ImageEncoding: Sendable {
  fileprivate let run: ModelRun
  /// The encoder.
  package let encoder: ImageEncoder

  /// Waits for the features, a vector of length 1. It is called once.
  ///
  /// - Parameter shouldStop: Returns whether to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  package func vector(shouldStop: () -> Bool = { false }) throws(ReadingError) -> [Float] {
    try encoder.finished(run, shouldStop: shouldStop)
  }
}
