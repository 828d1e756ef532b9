extension Feed.Reading {
  /// Returns how a feed is read that was just opened, with no currency of prices yet.
  init(of reader: borrowing FeedReader, _ options: FeedOptions) {
    self.init()
    format = reader.mapping.name
    mapping = options.fields.map(\.text)
    currency = options.currency
    locale = options.locale
    encoding = options.encoding
  }
}
