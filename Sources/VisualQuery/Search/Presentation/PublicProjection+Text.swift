extension PublicProjection {
  /// Returns the public part of an entity as names and strings, nothing nested: the form for language models.
  ///
  /// - Parameters:
  ///   - value: The entity.
  ///   - locale: As in ``EntityValue/displayRepresentation(for:)``.
  ///   - url: The link that opens the entity.
  package func flatStrings(
    of value: EntityValue, for locale: String?, url: String?
  ) -> [String: String] {
    var flat = value.flatStrings(of: object(for: value), for: locale)
    if case .product(let product) = value, let price = product.price {
      flat["price"] = LocalizedPrice.text(price, in: locale)
    }
    flat["url"] = url
    return flat
  }

  /// Returns an entity as lines of text, as another app receives it: the texts of its card, the price or the address, the
  /// description if it is public, and the link.
  package func plainText(of value: EntityValue, for locale: String?, url: String?) -> String {
    let display = value.displayRepresentation(for: locale)
    let detail: String? =
      switch value {
      case .product(let product): product.price.map { LocalizedPrice.text($0, in: locale) }
      case .store(let store): store.address
      }
    let description = fields.contains(EntityValue.descriptionField) ? value.longDescription : nil
    return [display.title, display.subtitle, detail, description, url]
      .compactMap { $0 }.joined(separator: "\n") + "\n"
  }
}
