#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// The index of a command: a directory, or a catalogue in PostgreSQL, of which a directory is a copy.
enum IndexLocation {
  static let cache = Option<String?>.path(
    OptionText(
      "cache", "the directory for the copy of an index in PostgreSQL",
      detail:
        "Made if it does not exist, and kept, so that only changes are fetched the next time. "
        + "It can be removed at any time.",
      standard: "below ~/.cache/vq", environment: "VQ_CACHE", isRare: true),
    "DIR", of: .directories)
  static let atLeast = Option<Int?>.integer(
    OptionText(
      "at-least", "wait for this generation of an index in PostgreSQL",
      detail: "For 10 s, then the command fails.", isRare: true), "N",
    in: 1...Int(Int32.max))

  private static let waitLimit = Duration.seconds(10)

  /// Returns the names of the indexes in a folder: directories that end with `.vq`.
  static func indexes(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter {
      $0.hasSuffix(".vq")
        && FileManager.default.fileExists(atPath: "\(folder)/\($0)/catalogue.sqlite")
    }.sorted()
  }

  /// Returns the copy of an index in PostgreSQL, or `nil` if the index is a directory.
  static func replica(
    of index: String, _ arguments: ParsedArguments
  ) throws -> CatalogueReplica? {
    guard PostgresLocation.isLocation(index) else { return nil }
    let location = try PostgresLocation(index)
    return CatalogueReplica(
      location: location, directory: try arguments[cache] ?? standardCache(for: location))
  }

  /// Returns the directory of an index, with its signatures. If it is a copy of an index in PostgreSQL,
  /// that is brought to the newest generation first; if that fails, a copy that exists is used as it is,
  /// with a warning.
  ///
  /// - Parameter generation: The generation to wait for.
  static func directory(
    of index: String, _ arguments: ParsedArguments, _ console: Console,
    atLeast generation: Int? = nil
  ) async throws -> String {
    guard let replica = try replica(of: index, arguments) else {
      warnOfUnused(arguments, console)
      return index
    }
    // Must be checked before the copy is changed to engine mode, because this removes its
    // signatures.
    guard !replica.location.isEngine else {
      throw CommandFailure(
        .unusableIndex,
        """
        a copy in engine mode has no signatures, and only searches can do without; use the \
        address without mode=engine
        """)
    }
    try await follow(replica, console, atLeast: generation)
    return replica.directory
  }

  /// Opens an index for a search. Like ``directory(of:_:_:atLeast:)``, but also in engine mode.
  static func catalogue(
    of index: String, _ arguments: ParsedArguments, _ console: Console,
    atLeast generation: Int? = nil
  ) async throws -> Catalogue {
    guard let replica = try replica(of: index, arguments) else {
      warnOfUnused(arguments, console)
      return try Catalogue(directory: index)
    }
    try await follow(replica, console, atLeast: generation)
    return try replica.catalogue()
  }

  /// Says which options have no effect, since the index is not a copy.
  static func warnOfUnused(_ arguments: ParsedArguments, _ console: Console) {
    for name in arguments.given(of: [cache.description, atLeast.description]) {
      console.diagnostics.warning(
        "\(name) has no effect: the index is a directory, not postgres://HOST/DATABASE")
    }
  }

  /// Brings a copy to the newest generation, or warns that it is used as it is.
  static func follow(
    _ replica: CatalogueReplica, _ console: Console, atLeast generation: Int? = nil
  ) async throws {
    do {
      _ = try await replica.follow(atLeast: generation, within: waitLimit)
    } catch let error as CatalogueError
      where error.code == .unreachable || error.code == .timedOut
    {
      guard let catalogue = try? replica.catalogue(),
        catalogue.generation >= generation ?? 1
      else { throw error }
      console.diagnostics.warning(
        "\(error.message); answering from generation \(catalogue.generation) of the copy")
    }
  }

  /// A directory for each address, below the user's folder for caches.
  private static func standardCache(for location: PostgresLocation) throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let base = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let folder = base ?? environment["HOME"].map({ $0 + "/.cache" }) else {
      throw CommandFailure(
        .usage, "an index in PostgreSQL requires --cache DIR, since HOME is not set")
    }
    let name = SHA256.hash(Array(location.text.utf8)).prefix(8)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(folder)/vq/\(name)"
  }
}
