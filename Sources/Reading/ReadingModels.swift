/// The models of a folder, opened: those that read text, and those that encode images and words.
///
/// A folder has `text-detector.onnx` and `text-recognizer.onnx`, or `image/model.onnx`, or all, and may have the
/// library that runs them, `libonnxruntime.so.1`; without it, that of the system is used. Everything about the models is checked when
/// they are opened, so that a query meets no model that does not fit.
public struct ReadingModels: Sendable {
  /// The name of the model that finds lines of text.
  package static let detectorName = "text-detector.onnx"
  /// The name of the model that reads a line.
  package static let recognizerName = "text-recognizer.onnx"
  /// The name of the library that runs models, in a folder.
  package static let runtimeName = "libonnxruntime.so.1"
  /// The most bytes of a model that reads text.
  package static let modelLimit = 256 << 20

  /// The folder.
  package let folder: String
  /// The models that read text, in the order of their names; empty if there are none.
  package let files: [ModelFile]
  /// The reader of text, or `nil` if the folder has none.
  package let text: TextReader?
  /// The encoder of images, or `nil` if the folder has none.
  package let image: ImageEncoder?
  /// The encoder of words beside that of images, or `nil` if the folder has none.
  package let words: TextEncoder?

  /// Opens the models of a folder.
  ///
  /// - Throws: ``ReadingError``.
  public init(folder: String) throws(ReadingError) {
    let hasImage = ModelFile.exists(folder + "/" + ImageEncoder.modelName)
    let hasWords = ModelFile.exists(folder + "/" + TextEncoder.modelName)
    if hasWords, !hasImage {
      throw ReadingError(
        code: .missing,
        message: """
          '\(folder)' has \(TextEncoder.modelName), but no \(ImageEncoder.modelName), whose vectors those of words are compared with
          """)
    }
    let readsText =
      !hasImage
      || [Self.detectorName, Self.recognizerName].contains {
        ModelFile.exists(folder + "/" + $0)
      }
    let parts = readsText ? try Self.textModels(folder) : []
    let runtime = folder + "/" + Self.runtimeName
    try Model.loadRuntime(ModelFile.exists(runtime) ? runtime : nil)
    self.folder = folder
    text =
      parts.isEmpty
      ? nil
      : TextReader(
        detector: try TextDetector(Model(parts[0], name: Self.detectorName)),
        recognizer: try TextRecognizer(Model(parts[1], name: Self.recognizerName)))
    files = zip([Self.detectorName, Self.recognizerName], parts).map {
      ModelFile(name: $0, bytes: $1)
    }
    image = hasImage ? try ImageEncoder(folder: folder) : nil
    words =
      try hasWords
      ? image.map { image throws(ReadingError) in
        try TextEncoder(folder: folder, dimensions: image.dimensions)
      } : nil
  }

  /// Returns the bytes of the detector and of the recognizer.
  private static func textModels(_ folder: String) throws(ReadingError) -> [[UInt8]] {
    [
      try ModelFile.bytes(of: folder + "/" + detectorName, limit: modelLimit),
      try ModelFile.bytes(of: folder + "/" + recognizerName, limit: modelLimit),
    ]
  }
}
