#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the system says of an error number, such as "No such file or directory".
package func systemMessage(_ code: Int32) -> String {
  // Sound: the text is copied before another call can change it; with known codes, glibc and
  // musl give constants.
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
