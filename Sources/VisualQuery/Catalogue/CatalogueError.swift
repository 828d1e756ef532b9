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
