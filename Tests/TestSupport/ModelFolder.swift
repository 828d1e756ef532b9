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
