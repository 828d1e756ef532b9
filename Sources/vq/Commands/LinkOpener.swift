#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Opens links in the user's browser.
enum LinkOpener {
  /// The program that opens links: `BROWSER` of the environment, or that of the desktop.
  static func program(environment: [String: String]) -> String {
    if let browser = environment["BROWSER"], !browser.isEmpty { return browser }
    #if canImport(Darwin)
      return "open"
    #else
      return "xdg-open"
    #endif
  }

  /// Runs the program with a link and waits for its end.
  ///
  /// No shell sees the link, and it cannot be taken for an option, because links begin with a scheme.
  ///
  /// - Throws: ``CommandFailure`` if the program is not there or fails.
  static func open(_ link: String, environment: [String: String]) throws {
    let program = program(environment: environment)
    // Sound: both texts are copied, live until they are freed here, and the new process has copies of its own.
    let (name, text) = unsafe (strdup(program), strdup(link))
    defer {
      unsafe free(name)
      unsafe free(text)
    }
    var process = pid_t()
    let status = unsafe posix_spawnp(&process, program, nil, nil, [name, text, nil], environ)
    guard status == 0 else {
      throw CommandFailure(
        .failure, "cannot run '\(program)': \(unsafe String(cString: strerror(status)))",
        advice: ["open \(link)", "or name a program: BROWSER=firefox vq match --open …"])
    }
    var result: Int32 = 0
    while unsafe waitpid(process, &result, 0) < 0, errno == EINTR {}
    guard result == 0 else {
      throw CommandFailure(.failure, "'\(program)' could not open \(link)")
    }
  }
}
