/// What a catalogue is written in.
public enum CatalogueFormat: String, Sendable, Hashable, CaseIterable {
  /// An object of our own a line.
  case jsonLines = "JSON Lines"
  /// Our own fields as columns.
  case csv = "CSV"
  /// A Google Merchant feed, by tabs, commas or as XML (RSS 2.0 or Atom).
  case merchant = "Google Merchant feed"
  /// A Shopify product export, whose further rows of a product hold its variants and pictures.
  case shopify = "Shopify product CSV"
  /// The eight columns of Google's Product Search, an image a row, without a header.
  case productSearch = "Google Product Search CSV"
  /// Products and stores as schema.org has them, in JSON-LD.
  case schemaOrg = "schema.org JSON-LD"
  /// A folder of pictures, a product each.
  case folder = "folder of pictures"
}

/// How a catalogue is read: what it was taken for, and what becomes of its fields.
public struct CatalogueMapping: Sendable, Hashable {
  /// What it is.
  public let format: CatalogueFormat
  /// Its fields and what each is read as, in their order; those that are kept as they are, under
  /// `extra`, have none.
  public let fields: [Field]

  /// A field of the catalogue.
  public struct Field: Sendable, Hashable {
    /// Its name there.
    public let name: String
    /// What it is read as.
    public let target: String?
  }
}
