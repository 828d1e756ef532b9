/// The reason why a catalogue cannot be used.
public struct CatalogueError: Error, Sendable, Hashable {
  /// The stable code of an error, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The directory does not exist.
    case missing
    /// The directory is not a catalogue.
    case notACatalogue
    /// The tables have another version.
    case otherSchemaVersion
    /// The signatures have another version.
    case otherSignatureVersion
    /// Another process is writing to the catalogue.
    case locked
    /// A file is truncated.
    case truncated
    /// The contents are inconsistent.
    case corrupt
    /// The system does not permit the access.
    case notPermitted
    /// No space is left on the device.
    case diskFull
    /// The system has no open files or no memory left, which says nothing about the files.
    case exhausted
    /// The input of an index run cannot be read.
    case unreadableInput
    /// A row was rejected in a strict run.
    case refusedRow
    /// The deadline passed before the end of a read, or its task was cancelled.
    case timedOut
    /// PostgreSQL cannot be reached, or libpq is not installed.
    case unreachable
    /// PostgreSQL refused the login: the user, its password or the database is not the right one.
    case loginRefused
    /// The address of a catalogue in PostgreSQL is not accepted, or the directory of a new catalogue has
    /// files of others.
    case invalidLocation
    /// A read or a write failed for another reason.
    case io
  }
  /// The code.
  public let code: Code
  /// The description for people, with what to do next.
  public let message: String
  /// The name of the damaged file in the catalogue's directory, or `nil` if no single file is
  /// damaged.
  package var file: String?
  /// The generation that cannot be read, or `nil` if it is unknown.
  package var generation: Int?

  package init(code: Code, message: String, file: String? = nil, generation: Int? = nil) {
    self.code = code
    self.message = message
    self.file = file
    self.generation = generation
  }

  /// The advice for a lost or damaged file. It names a new directory, since to remove the index would also remove its feedback.
  package static let remedy =
    "undo the last run ('vq catalogue rollback'), or index the feed into a new directory"
}

/// A connection to one of the catalogue's files.
package typealias CatalogueConnection = SQLiteConnection<CatalogueError>

/// A statement on one of the catalogue's files.
package typealias CatalogueStatement = SQLiteStatement<CatalogueError>

/// The files of the catalogue that are either complete or absent.
package typealias CatalogueFile = DurableFile<CatalogueError>

extension CatalogueError: StorageFailure {
  package init(_ error: StorageError) {
    let code: Code =
      switch error.code {
      case .locked: .locked
      case .interrupted: .timedOut
      case .notADatabase: .notACatalogue
      case .corrupt: .corrupt
      case .truncated: .truncated
      case .notPermitted: .notPermitted
      case .full: .diskFull
      case .exhausted: .exhausted
      case .io: .io
      }
    self.init(
      code: code,
      message: error.message + (code == .corrupt ? "; \(CatalogueError.remedy)" : ""),
      file: code == .truncated ? error.path.split(separator: "/").last.map(String.init) : nil)
  }

  package var isRefusedAccess: Bool { code == .notPermitted }

  package var isFullDisk: Bool { code == .diskFull }

  /// True if the error says nothing about the contents of the files: the next attempt may succeed.
  package var isLackOfAccess: Bool { code == .notPermitted || code == .exhausted }
}
