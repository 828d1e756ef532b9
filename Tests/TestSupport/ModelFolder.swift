import Foundation

/// A folder with models, removed with the last reference to it.
public final class ModelFolder: Sendable {
  /// The folder.
  public let path: String

  /// The library that runs models in the folder that VQ_MODELS names, or `nil` if there is none.
  private static var runtime: String? {
    let folder = ProcessInfo.processInfo.environment["VQ_MODELS"] ?? ""
    let path = folder + "/libonnxruntime.so.1"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// True if models can be run: with the library that VQ_MODELS has, or with that of the system. Tests that run models are
  /// left out otherwise.
  public static var hasRuntime: Bool {
    if runtime != nil { return true }
    guard let handle = unsafe dlopen("libonnxruntime.so.1", RTLD_LAZY) else { return false }
    unsafe dlclose(handle)
    return true
  }

  /// The folder that VQ_MODELS names if it has the models of Packaging/models.sh, or `nil`.
  public static var published: String? {
    let folder = ProcessInfo.processInfo.environment["VQ_MODELS"] ?? ""
    let path = folder + "/text-detector.onnx"
    return FileManager.default.fileExists(atPath: path) ? folder : nil
  }

  /// The preparation of an image that ``ONNXModel/encoder(height:width:isChannelsLast:isHalf:outputs:keepsPlaces:)`` takes.
  public static let configuration = """
    {"do_center_crop": false, "size": {"height": 32, "width": 32}, "resample": 2, "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5]}
    """

  /// Writes only an encoder of images, and its preparation, into a new folder.
  public convenience init(
    image: [UInt8]?, configuration: String? = ModelFolder.configuration
  ) throws {
    try self.init(detector: nil, recognizer: nil)
    try put(image: image, configuration: configuration)
  }

  /// Adds an encoder of images, and its preparation.
  public func put(
    image: [UInt8]? = ONNXModel.encoder(), configuration: String? = ModelFolder.configuration
  ) throws {
    let folder = URL(fileURLWithPath: path).appendingPathComponent("image")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let image { try Data(image).write(to: folder.appendingPathComponent("model.onnx")) }
    if let configuration {
      try Data(configuration.utf8).write(
        to: folder.appendingPathComponent("preprocessor_config.json"))
    }
  }

  /// Adds an encoder of words, and its tokenizer.
  public func put(words: [UInt8]?, tokenizer: [UInt8]?) throws {
    let folder = URL(fileURLWithPath: path).appendingPathComponent("text")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let words { try Data(words).write(to: folder.appendingPathComponent("model.onnx")) }
    if let tokenizer {
      try Data(tokenizer).write(to: folder.appendingPathComponent("tokenizer.json"))
    }
  }

  /// Writes models into a new folder, beside the library that runs them.
  public init(
    detector: [UInt8]? = ONNXModel.detector, recognizer: [UInt8]? = ONNXModel.recognizer
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
    if let runtime = Self.runtime {
      try FileManager.default.createSymbolicLink(
        atPath: path + "/libonnxruntime.so.1",
        withDestinationPath: URL(fileURLWithPath: runtime).path)
    }
    let models = [("text-detector.onnx", detector), ("text-recognizer.onnx", recognizer)]
    for case (let name, let bytes?) in models {
      try Data(bytes).write(to: folder.appendingPathComponent(name))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
