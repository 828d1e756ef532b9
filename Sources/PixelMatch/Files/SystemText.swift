#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the system's message for an error number, for example "No such file or directory".
package func systemMessage(_ code: Int32) -> String {
  // Sound: the text is copied before another call can change it; for known codes, glibc and musl
  // return constants.
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}

/// A lack of the system's resources, which passes, and says nothing about the file that was to be opened.
package enum ResourceLack {
  /// Returns what to do about an error number, or `nil` if it is not a lack of open files or of memory.
  package static func advice(_ code: Int32) -> String? {
    switch code {
    case EMFILE: "let this process open more files (ulimit -n, LimitNOFILE=)"
    case ENFILE: "let the system open more files (fs.file-max)"
    case ENOMEM: "give this process more memory"
    default: nil
    }
  }
}

extension FileName {
  /// The arguments of the process, without its name.
  package static var arguments: [String] {
    let arguments = unsafe CommandLine.unsafeArgv
    return (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      // Sound: the system terminates each argument with a zero, and keeps it as long as the process lives.
      guard let argument = unsafe arguments[index] else { return nil }
      let count = unsafe strlen(argument)
      return text((0..<count).map { unsafe UInt8(bitPattern: argument[$0]) })
    }
  }
}
