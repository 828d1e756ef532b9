/// The models of a folder, opened: those that read text.
///
/// A folder has `text-detector.onnx` and `text-recognizer.onnx`, and may have the library that runs them,
/// `libonnxruntime.so.1`; without it, that of the system is used. Everything about the models is checked when they are
/// opened, so that a query meets no model that does not fit.
public struct ReadingModels: Sendable {
  /// The name of the model that finds lines of text.
  public static let detectorName = "text-detector.onnx"
  /// The name of the model that reads a line.
  public static let recognizerName = "text-recognizer.onnx"
  /// The name of the library that runs models, in a folder.
  public static let runtimeName = "libonnxruntime.so.1"
  /// The most bytes of a model.
  public static let modelLimit = 256 << 20

  /// The folder.
  public let folder: String
  /// The models, in the order of their names.
  public let files: [ModelFile]
  /// The reader of text.
  public let text: TextReader

  /// Opens the models of a folder.
  ///
  /// - Throws: ``ReadingError``.
  public init(folder: String) throws(ReadingError) {
    let detector = try ModelFile.bytes(
      of: folder + "/" + Self.detectorName, limit: Self.modelLimit)
    let recognizer = try ModelFile.bytes(
      of: folder + "/" + Self.recognizerName, limit: Self.modelLimit)
    let runtime = folder + "/" + Self.runtimeName
    try Model.loadRuntime(ModelFile.exists(runtime) ? runtime : nil)
    self.folder = folder
    text = TextReader(
      detector: try TextDetector(Model(detector, name: Self.detectorName)),
      recognizer: try TextRecognizer(Model(recognizer, name: Self.recognizerName)))
    files = [
      ModelFile(name: Self.detectorName, bytes: detector),
      ModelFile(name: Self.recognizerName, bytes: recognizer),
    ]
  }
}
