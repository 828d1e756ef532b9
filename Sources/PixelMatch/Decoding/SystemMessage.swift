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
