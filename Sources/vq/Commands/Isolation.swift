internal import PixelMatch
internal import Reading

/// A switch for the processes of libraries.
enum Isolation: String, CaseIterable, Sendable {
  case on, off

  /// The option of a command.
  ///
  /// - Parameters:
  ///   - place: The words for the process of the command.
  ///   - loss: The words for what a crash of a library ends, without the process of its own.
  static func option(
    within place: String, costs loss: String, standard: Isolation
  ) -> Option<Isolation?> {
    .choice(
      OptionText(
        "isolate", "run loaded libraries in processes of their own",
        detail: """
          Without rights: an image that crashes libheif, libwebp, giflib, zbar or ONNX Runtime \(loss). JPEG and \
          PNG are decoded within \(place).
          """,
        standard: standard.rawValue, isRare: true), "SWITCH")
  }

  /// Starts the processes of libraries that decode images and read codes, if they are asked for.
  func begin(
    within place: String, _ limits: DecodeLimits, threads: Int, _ console: Console
  ) -> ShopService.Settings.Isolation {
    guard self == .on else { return .off }
    // Images of the catalogue are decoded with the limits of the library.
    let standard = DecodeLimits.default
    let largest = DecodeLimits(
      byteLimit: max(limits.byteLimit, standard.byteLimit),
      memoryLimit: max(limits.memoryLimit, standard.memoryLimit))
    // One in reserve, so that nobody waits while one is replaced.
    if let reason = LibraryProcesses.start(count: threads + 1, limits: largest) {
      console.diagnostics.warning(
        "libwebp, libheif, giflib and zbar run within \(place): \(reason)",
        advice: ["'--isolate off' accepts that"])
      return .unavailable
    }
    if !LibraryProcesses.isRestricted {
      console.diagnostics.warning(
        "the kernel does not restrict the processes of libraries: it has no seccomp, or does not permit it here"
      )
    }
    return .on
  }

  /// Starts the processes of models, if those of libraries could be started.
  static func begin(
    _ isolation: ShopService.Settings.Isolation, of models: ReadingModels?, within place: String,
    threads: Int, _ console: Console
  ) {
    guard isolation == .on, let models, let reason = models.isolate(count: threads) else { return }
    console.diagnostics.warning("ONNX Runtime runs within \(place): \(reason)")
  }
}
