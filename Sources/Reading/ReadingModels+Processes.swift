internal import CReading
internal import CWorkers

extension ReadingModels {
  /// The most bytes of models that processes hold together. A model takes about twice its file.
  private static let byteLimit = 1 << 30
  /// The bytes that a process shares with the program: an image as numbers, and an output.
  private static let sharedBytes = 96 << 20
  /// The most bytes that a process allocates for runs.
  private static let runBytes = 2 << 30

  /// Lets processes of their own run the models from now on, each of which opens all of them, and frees them here. Called once, before anything runs them.
  ///
  /// Each process has one run at a time. If ONNX Runtime crashes or does not end, only that run fails.
  ///
  /// - Parameters:
  ///   - count: The number of runs at the same time; less if the models are large.
  ///   - program: The file of the program, or `nil` for the running one.
  /// - Returns: The reason why the models are run in this process, or `nil` if they are not.
  package func isolate(count: Int, program: String? = nil) -> String? {
    let models =
      [text?.detector.model, text?.recognizer.model, image?.model, words?.model].compactMap(\.self)
    let runtime = folder + "/" + Self.runtimeName
    var parts = [ModelFile.exists(runtime) ? runtime : "-"]
    var byteCount = 0
    for model in models {
      let path = folder + "/" + model.name
      guard let identity = Self.identity(of: path) else { return "'\(path)' is gone" }
      parts += [path, identity, "\(model.outputIndex)"]
      byteCount += Int(identity.split(separator: ":")[2]) ?? 0
    }
    let reason = LibraryProcesses.start(
      CW_MODELS, words: parts, count: max(1, min(count, Self.byteLimit / max(1, 2 * byteCount))),
      memory: Self.sharedBytes, data: Self.runBytes, program: program)
    guard reason == nil else { return reason }
    for (index, model) in models.enumerated() { model.detach(index) }
    return nil
  }

  /// Ends the processes. Nothing may be run at the moment, nor later.
  package static func stopProcesses() { cw_stop(CW_MODELS) }

  /// Returns the identity of a file, by which a process sees that it opens the file that was checked, and not another in its place.
  private static func identity(of path: String) -> String? {
    var text = [CChar](repeating: 0, count: 128)
    guard unsafe cr_file_identity(path, &text, text.count) else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
