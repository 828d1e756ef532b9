/// How a run treats what is in a catalogue already, and what is wrong.
public struct IndexOptions: Sendable, Hashable {
  /// What becomes of an entity that a row names and that is there already.
  public enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
    /// It stays as it is.
    case keep
    /// The row's fields replace its own; fields that the row has not stay.
    case merge
    /// The row takes its place.
    case replace
  }

  /// What becomes of an entity that is there already.
  public var onConflict: ConflictPolicy
  /// Whether entities that no row names are removed at the end of the run. They stay where the run
  /// is interrupted, where no row was read, and where a row was refused that does not tell its id.
  public var prunesMissing: Bool
  /// Whether everything is done but nothing written.
  public var isDryRun: Bool
  /// Whether the first row or picture that is refused ends the run.
  public var isStrict: Bool
  /// The currency of prices that name none, such as those of a Shopify export; three letters.
  public var currency: String?
  /// Which pictures are fetched whose paths are addresses of the web; `nil` means none. Those that
  /// were fetched before stay.
  public var fetching: FetchPolicy?

  /// Makes options; the defaults are those of the command.
  public init(
    onConflict: ConflictPolicy = .replace, prunesMissing: Bool = false, isDryRun: Bool = false,
    isStrict: Bool = false, currency: String? = nil, fetching: FetchPolicy? = nil
  ) {
    self.fetching = fetching
    self.currency = currency
    self.onConflict = onConflict
    self.prunesMissing = prunesMissing
    self.isDryRun = isDryRun
    self.isStrict = isStrict
  }
}
