/// Why a catalogue cannot be used.
public struct CatalogueError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no such directory.
    case missing
    /// It is there, and is no catalogue.
    case notACatalogue
    /// Its tables are of another version.
    case otherSchemaVersion
    /// Its signatures are of another version.
    case otherSignatureVersion
    /// Another process is writing to it.
    case locked
    /// A file ends too early.
    case truncated
    /// Its content contradicts itself.
    case corrupt
    /// The system does not let us read or write it.
    case notPermitted
    /// There is no room left to write.
    case diskFull
    /// What is to be indexed cannot be read.
    case unreadableInput
    /// A row did not go in, where all had to.
    case refusedRow
    /// Reading did not end before its deadline, or its task was cancelled.
    case timedOut
    /// Reading or writing failed for another reason.
    case io
  }
  /// What is wrong.
  public let code: Code
  /// What is wrong, for people, and what to do.
  public let message: String
  /// The damaged file's name in the catalogue's directory, or `nil` if no single file is damaged.
  public var file: String?
  /// The generation that cannot be read, or `nil` if it is not known.
  public var generation: Int?
}

/// A connection to one of the catalogue's files.
typealias CatalogueConnection = SQLiteConnection<CatalogueError>

/// A statement on one of the catalogue's files.
typealias CatalogueStatement = SQLiteStatement<CatalogueError>

/// The catalogue's files that are whole or absent.
typealias CatalogueFile = DurableFile<CatalogueError>

extension CatalogueError: StorageFailure {
  init(_ error: StorageError) {
    let code: Code =
      switch error.code {
      case .locked: .locked
      case .interrupted: .timedOut
      case .notADatabase: .notACatalogue
      case .corrupt: .corrupt
      case .truncated: .truncated
      case .notPermitted: .notPermitted
      case .full: .diskFull
      case .io: .io
      }
    self.init(
      code: code, message: error.message + (code == .corrupt ? "; index the catalogue again" : ""),
      file: code == .truncated ? error.path.split(separator: "/").last.map(String.init) : nil)
  }

  var isRefusedAccess: Bool { code == .notPermitted }
}
