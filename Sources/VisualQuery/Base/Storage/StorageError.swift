#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import CSQLite
internal import PixelMatch

/// The reason why a file or an SQLite database cannot be read or written.
package struct StorageError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// Another process has locked the file.
    case locked
    /// A statement was stopped before its end.
    case interrupted
    /// The file is not an SQLite file.
    case notADatabase
    /// The file is damaged.
    case corrupt
    /// Another program truncated the file while it was in use.
    case truncated
    /// The system does not permit the access.
    case notPermitted
    /// No space is left on the device.
    case full
    /// The system has no open files or no memory left.
    case exhausted
    /// The access failed for another reason.
    case io
  }

  package let code: Code
  /// The path of the file.
  package let path: String
  /// The description for people.
  package let message: String

  init(code: Code, path: String, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  /// Makes the error of a system call that has just failed.
  ///
  /// - Parameter action: A verb, such as `open`.
  package init(_ action: String, _ path: String) {
    let number = errno
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EACCES, EPERM, EROFS: .notPermitted
      default: .io
      }
    let message = "cannot \(action) '\(path)': \(systemMessage(number))"
    self =
      Self(lack: number, path, message) ?? Self(code: code, path: path, message: message)
  }

  /// Makes the error of a lack of open files or memory, or returns `nil` for other error numbers.
  init?(lack number: Int32, _ path: String, _ message: String) {
    guard let advice = ResourceLack.advice(number) else { return nil }
    self.init(code: .exhausted, path: path, message: "\(message); \(advice)")
  }

  /// Makes the error of a result code of SQLite (<https://www.sqlite.org/rescode.html>).
  ///
  /// - Parameter number: The error number of the system call that failed, or 0.
  init(sqlite code: Int32, _ message: String, _ path: String, number: Int32 = 0) {
    let kind = code & 0xFF
    let number = kind == SQLITE_NOMEM ? ENOMEM : number
    if [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_NOMEM].contains(kind),
      let lack = Self(lack: number, path, "cannot use '\(path)': \(systemMessage(number))")
    {
      self = lack
      return
    }
    switch kind {
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(
        code: .locked, path: path,
        message: "'\(path)' is locked by another process; try again later")
    case SQLITE_INTERRUPT:
      self.init(
        code: .interrupted, path: path,
        message: "'\(path)' was not read before the deadline; ask for less, or allow more time")
    case SQLITE_NOTADB:
      self.init(code: .notADatabase, path: path, message: "'\(path)' is not an SQLite file")
    case SQLITE_CORRUPT:
      self.init(code: .corrupt, path: path, message: "'\(path)' is damaged (\(message))")
    case SQLITE_FULL,
      SQLITE_IOERR where number == ENOSPC || number == EDQUOT:
      self.init(code: .full, path: path, message: "no space is left to write '\(path)'")
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_AUTH:
      self.init(
        code: .notPermitted, path: path,
        message: "'\(path)' cannot be opened or written: \(message)")
    default:
      self.init(code: .io, path: path, message: "'\(path)': \(message) (SQLite \(code))")
    }
  }
}

/// The error of a type that stores something in files. It is made from the error of the storage,
/// which does not know the purpose of the files.
package protocol StorageFailure: Error {
  init(_ error: StorageError)

  /// True if the system refused the access.
  var isRefusedAccess: Bool { get }

  /// True if no space is left on the device.
  var isFullDisk: Bool { get }
}
