/// Computes the vectors of texts with a model whose vectors can be compared with those of an image encoder, such as
/// the text model of CLIP.
package struct TextEncoder: Sendable {
  /// The name of the model in a folder.
  package static let modelName = "text/model.onnx"
  /// The name of the file that says how text becomes tokens.
  package static let tokenizerName = "text/tokenizer.json"
  /// The names of the output that is taken if a model has several.
  static let outputs = [
    "text_embeds", "text_features", "text_embeddings", "sentence_embedding", "embeds", "embedding",
    "embeddings", "features", "pooler_output",
  ]
  /// The names of the inputs of a model that has two: the tokens, and which of them count.
  private static let (tokenInput, maskInput) = ("input_ids", "attention_mask")
  /// The numbers of tokens that a model may take, and the number if neither the model nor the tokenizer says it: CLIP's.
  private static let (lengths, standardLength) = (2...1024, 77)
  private static let outputLimit = 1 << 20

  /// The files, in the order of their names.
  package let files: [ModelFile]
  /// The most tokens of a text.
  package let length: Int
  private let tokenizer: Tokenizer
  let model: Model
  private let dimensions: Int
  /// True if every text has as many tokens as the model takes.
  private let isLengthFixed: Bool
  /// The index of the input with the attention mask, or `nil` if the model has none.
  private let maskIndex: Int?

  /// Opens the encoder of a folder; the library that runs models must be loaded.
  ///
  /// - Parameter dimensions: The number of features of an image, which that of a text must equal.
  /// - Throws: ``ReadingError``.
  init(folder: String, dimensions: Int) throws(ReadingError) {
    let bytes = try ModelFile.bytes(
      of: folder + "/" + Self.modelName, limit: ImageEncoder.modelLimit)
    let table = try ModelFile.bytes(
      of: folder + "/" + Self.tokenizerName, limit: Tokenizer.byteLimit)
    tokenizer = try Tokenizer(table)
    let model = try Model(bytes, name: Self.modelName, outputs: Self.outputs)
    files = [
      ModelFile(name: Self.modelName, bytes: bytes),
      ModelFile(name: Self.tokenizerName, bytes: table),
    ]
    let count = model.inputCount
    let mask = count == 2 ? model.inputNames.firstIndex(of: Self.maskInput) : nil
    let shapes = (0..<count).map(model.shape(ofTokens:))
    guard count == 1 || mask != nil, let shape = shapes[mask == 0 ? 1 : 0], shape.count == 2,
      shape[0] ?? 1 == 1, shapes.allSatisfy({ $0?.count == 2 })
    else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) takes \(count == 1 ? TextDetector.text(of: shapes[0]) : "\(count) inputs"); an encoder of words takes \
          whole numbers of 32 or 64 bits, 1 × the number of tokens, '\(Self.tokenInput)', and may take '\(Self.maskInput)'
          """)
    }
    let length = shape[1] ?? tokenizer.lengthLimit ?? Self.standardLength
    let least = tokenizer.prefix.count + tokenizer.suffix.count + 1
    guard Self.lengths.contains(length), length >= least else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) takes \(length) tokens; expected \(max(least, Self.lengths.lowerBound)) to \(Self.lengths.upperBound)
          """)
    }
    (self.model, self.length, self.dimensions) = (model, length, dimensions)
    isLengthFixed = shape[1] != nil
    maskIndex = mask
    // The largest token tells whether the tokenizer is that of the model.
    let trial = tokenizer.prefix + [tokenizer.largestToken] + tokenizer.suffix
    let output: Tensor
    do throws(ReadingError) {
      output = try model.trial(outputLimit: Self.outputLimit) { model throws(ReadingError) in
        try run(trial)
      }
    } catch {
      guard error.code == .failed else { throw error }
      throw ReadingError(
        code: .failed,
        message:
          "\(error.message) (tried with the token \(tokenizer.largestToken) of \(Self.tokenizerName))"
      )
    }
    guard let features = Self.features(of: output), features.count == dimensions else {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(model.name) gives \(TextDetector.text(of: output.shape)); beside an encoder of images with \(dimensions) numbers, it \
          gives 1 × \(dimensions)
          """)
    }
  }

  private static func features(of output: Tensor) -> [Float]? {
    switch output.shape.count {
    case 1: output.values
    case 2 where output.shape[0] == 1: output.values
    default: nil
    }
  }

  /// Starts to compute the features of a text, on a thread of its own.
  ///
  /// - Throws: ``ReadingError`` with the code `failed`.
  package func start(_ text: String) throws(ReadingError) -> TextEncoding {
    TextEncoding(run: try run(tokenizer.tokens(of: text, limit: length)), encoder: self)
  }

  /// Returns the features of a text, a vector of length 1.
  ///
  /// - Parameter shouldStop: Returns whether to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  package func vector(
    of text: String, shouldStop: () -> Bool = { false }
  ) throws(ReadingError) -> [Float] {
    try start(text).vector(shouldStop: shouldStop)
  }

  private func run(_ tokens: [Int32]) throws(ReadingError) -> ModelRun {
    var tokens = tokens.map { Int64($0) }
    var mask = [Int64](repeating: 1, count: tokens.count)
    if isLengthFixed {
      let room = length - tokens.count
      tokens += [Int64](repeating: Int64(tokenizer.padding), count: room)
      mask += [Int64](repeating: 0, count: room)
    }
    let inputs = maskIndex.map { $0 == 0 ? [mask, tokens] : [tokens, mask] } ?? [tokens]
    return try ModelRun(model, tokens: inputs)
  }

  fileprivate func finished(
    _ run: ModelRun, shouldStop: () -> Bool
  ) throws(ReadingError) -> [Float] {
    let output = try run.wait(outputLimit: Self.outputLimit, shouldStop: shouldStop)
    guard let features = Self.features(of: output), features.count == dimensions else {
      throw ReadingError(
        code: .otherShape,
        message: "\(model.name) gives \(TextDetector.text(of: output.shape)) for one text")
    }
    return try ImageEncoder.unit(features, of: model.name, for: "a text")
  }
}

/// The computation of the features of one text, which runs until it is done or its last reference is gone.
package struct TextEncoding: Sendable {
  fileprivate let run: ModelRun
  /// The encoder.
  package let encoder: TextEncoder

  /// Waits for the features, a vector of length 1. It is called once.
  ///
  /// - Parameter shouldStop: Returns whether to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  package func vector(shouldStop: () -> Bool = { false }) throws(ReadingError) -> [Float] {
    try encoder.finished(run, shouldStop: shouldStop)
  }
}
