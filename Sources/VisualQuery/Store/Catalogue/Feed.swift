/// A feed that brought entities of a catalogue, and how it was read last.
///
/// What a feed *is* belongs to the contents: it is exported, copied and rolled back with the entities. When it ran, and with
/// what result, belongs to the directory: see ``RunRecord``.
package struct Feed: Sendable, Hashable {
  /// The number by which entities refer to it. It stays the same when the feed is renamed.
  package let number: Int
  /// The name, which no other feed of the catalogue has.
  package var name: String
  /// How it was read last.
  package var reading: Reading

  /// How a feed is read.
  package struct Reading: Sendable, Hashable {
    /// The name of the format, such as `Magento product CSV`.
    package var format = ""
    /// The assignments of fields that the caller gave, such as `title=designation`.
    package var mapping: [String] = []
    /// The currency that the caller gave for prices without one.
    package var currency: String?
    /// The notation of numbers that the caller gave.
    package var locale: String?
    /// The encoding that the caller gave.
    package var encoding: String?
    /// The currencies of the prices in it, in ascending order.
    package var currencies: [String] = []

    package init() {}
  }

  package init(number: Int, name: String, reading: Reading = Reading()) {
    (self.number, self.name, self.reading) = (number, name, reading)
  }
}

extension Feed {
  /// The name of the setting that stores the feed.
  var settingName: String { "\(ShopSettings.feedPrefix)\(number)" }

  /// The JSON form that is stored.
  var json: JSONValue {
    var fields: [String: JSONValue] = [
      "name": .string(name), "format": .string(reading.format),
      "mapping": .array(reading.mapping.map(JSONValue.string)),
      "currencies": .array(reading.currencies.map(JSONValue.string)),
    ]
    fields["currency"] = reading.currency.map(JSONValue.string)
    fields["locale"] = reading.locale.map(JSONValue.string)
    fields["encoding"] = reading.encoding.map(JSONValue.string)
    return .object(fields)
  }

  /// Reads a stored feed; returns `nil` for another setting, and for one without a name.
  init?(setting: String, value: String) {
    guard setting.hasPrefix(ShopSettings.feedPrefix),
      let number = Int(setting.dropFirst(ShopSettings.feedPrefix.count)), number > 0,
      case .object(let fields)? = try? JSONValue(stored: value)
    else { return nil }
    func text(_ name: String) -> String? {
      if case .string(let text)? = fields[name] { text } else { nil }
    }
    func texts(_ name: String) -> [String] {
      guard case .array(let values)? = fields[name] else { return [] }
      return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    guard let name = text("name") else { return nil }
    var reading = Reading()
    reading.format = text("format") ?? ""
    reading.mapping = texts("mapping")
    reading.currencies = texts("currencies")
    reading.currency = text("currency")
    reading.locale = text("locale")
    reading.encoding = text("encoding")
    self.init(number: number, name: name, reading: reading)
  }

  /// Returns the feeds that settings store, in the order of their numbers.
  package static func all(in settings: [String: String]) -> [Feed] {
    settings.compactMap { Feed(setting: $0, value: $1) }.sorted { $0.number < $1.number }
  }
}
