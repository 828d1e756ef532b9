/// The values of properties among some entities.
public struct Facets: Codable, Sendable, Hashable {
  /// The values of one property.
  public struct Facet: Codable, Sendable, Hashable {
    /// A value with the number of entities that have it.
    public struct Value: Codable, Sendable, Hashable {
      /// A text or a number.
      public let value: JSONValue
      /// The number of entities.
      public let count: Int
    }

    /// The least and the greatest number.
    public struct Range: Codable, Sendable, Hashable {
      /// The least number.
      public let minimum: Double
      /// The greatest number.
      public let maximum: Double
    }

    /// The name of the property.
    public let property: String
    /// The values, the most frequent first.
    public let values: [Value]
    /// The number of different values.
    public let valueCount: Int
    /// The number of entities that have a value.
    public let entityCount: Int
    /// The range of numbers, if there are numbers.
    public let range: Range?
  }

  /// The number of the entities.
  public let entityCount: Int
  /// The facets, in the order of the question.
  public let facets: [Facet]
}

/// The shop as a whole.
public struct ShopSettings: Codable, Sendable, Hashable, Identifiable {
  /// The id of the only one.
  public let id: String
  /// The generation of the catalogue.
  public let generation: Int
  /// The name of the shop, or `nil` if it has none.
  public let name: String?
  /// The currencies of its prices, the most frequent first.
  public let currencies: [String]
  /// The number of products.
  public let products: Int
  /// The number of stores.
  public let stores: Int
  /// True if images can be searched for.
  public let visualSearch: Bool
  /// The fields of the shop's own that entities show.
  public let publicFields: [String]
  /// The languages of messages and names.
  public let languages: [String]
}

/// The names of types, properties and values, for people.
public struct ShopSchema: Codable, Sendable, Hashable {
  /// The names of a type.
  public struct TypeNames: Codable, Sendable, Hashable {
    /// The name of one.
    public let name: String
    /// The name of several.
    public let plural: String
  }

  /// The language of the names.
  public let language: String
  /// The types.
  public let types: [String: TypeNames]
  /// The properties.
  public let properties: [String: String]
  /// The values of `availability`, `tier`, `order`, `evidence`, `emptyReason` and others.
  public let enumerations: [String: [String: String]]
  /// The fields of the shop's own that entities show.
  public let publicFields: [String]
}

/// Phrases for App Shortcuts.
public struct ShopPhrases: Codable, Sendable, Hashable {
  /// A shortcut that opens an entity.
  public struct Shortcut: Codable, Sendable, Hashable {
    /// An entity that phrases name.
    public struct Value: Codable, Sendable, Hashable {
      /// The shop's own id.
      public let id: String
      /// The title in the language.
      public let title: String
    }

    /// The type of its entities.
    public let type: EntityType
    /// Its title.
    public let title: String
    /// The phrases, with `${target}` and `${applicationName}`.
    public let phrases: [String]
    /// The entities that phrases name, those to suggest first.
    public let values: [Value]
  }

  /// The generation of the catalogue.
  public let generation: Int
  /// The language of the phrases.
  public let language: String
  /// A shortcut for each type.
  public let shortcuts: [Shortcut]
}
