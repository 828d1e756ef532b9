extension EntityLookup {
  /// Returns the entity that a link opens: the one with this URL, or the one for which the shop's template gives it. Without
  /// a match, what marketing adds is ignored: the fragment, and the query as far as it is not part of the entity's own URL.
  /// The scheme and the host may be written in any case (RFC 3986, 6.2.2.1), the scheme may be that of `http`, and the path may
  /// end with a slash: people type and print links in these ways.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(*n*) for *n* entities with a URL of their own.
  package func entity(forLink link: String) async throws -> EntityValue? {
    for form in LinkAddress.forms(of: link) {
      if let found = try await entity(forWrittenLink: form) { return found }
    }
    return nil
  }

  /// Returns the entity that a link opens, in the case in which it is written.
  private func entity(forWrittenLink link: String) async throws -> EntityValue? {
    if let found = try await entity(withLink: link) { return found }
    let address = LinkAddress(link)
    if let found = try await entity(at: address) { return found }
    return address.page == link ? nil : try await entity(withLink: address.page)
  }

  /// Returns the entity with this URL, byte for byte, or with a template that gives it.
  private func entity(withLink link: String) async throws -> EntityValue? {
    let condition = EntityComparator(EntityProperty("url"), .equalTo(.text(link)))
    if let own = try await entities(matching: [condition], limit: 1).first { return own }
    let named = EntityType.allCases.compactMap { type in
      catalogue.links.templates[type]?.value(of: "id", in: link)
        .map { EntityID(type: type, value: $0) }
    }
    return try await entities(for: named).first {
      catalogue.links.handoff(for: $0).url == link
    }
  }

  /// The most entities of one page, such as its variants, that are looked through.
  private static let pageLimit = 500

  /// Returns the entity whose own URL has the page of an address and, of the query, the most items that the address has, too,
  /// and none that it lacks.
  private func entity(at address: LinkAddress) async throws -> EntityValue? {
    let prefix = address.page + "?"
    guard prefix.unicodeScalars.count <= EntityComparator.textLimit else { return nil }
    let condition = EntityComparator(EntityProperty("url"), .hasPrefix(prefix))
    let found = try await entities(matching: [condition], limit: Self.pageLimit)
    let fitting = found.compactMap { value -> (value: EntityValue, count: Int)? in
      let own = LinkAddress(value.url ?? "")
      guard own.page == address.page, own.items.isSubset(of: address.items) else { return nil }
      return (value, own.items.count)
    }
    return fitting.max { $0.count < $1.count }?.value
  }
}

/// A link without what marketing adds to it.
private struct LinkAddress {
  /// Everything before the query and the fragment.
  let page: String
  /// The parts of the query that say what the page shows.
  let items: Set<Substring>

  /// The names of parameters that campaigns add, besides those that begin with `utm_`.
  private static let campaignNames: Set<Substring> = [
    "gclid", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "ttclid", "twclid", "yclid",
    "srsltid", "mc_cid", "mc_eid", "_ga", "_gl",
  ]

  /// Returns the link with its scheme and its host in lower case, or as it is if it has none.
  static func withLowercaseHost(_ link: String) -> String {
    let parts = link.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].hasSuffix(":"), parts[1].isEmpty else { return link }
    let host = parts[2].prefix { $0 != "?" && $0 != "#" }
    let start = "\(parts[0])//\(host)"
    return start.lowercased() + link.dropFirst(start.count)
  }

  /// Returns the different spellings of a link, the given one first.
  static func forms(of link: String) -> [String] {
    var forms = [link]
    func add(_ form: String) { if !forms.contains(form) { forms.append(form) } }
    let lowered = withLowercaseHost(link)
    add(lowered)
    if lowered.hasPrefix("http://") { add("https" + String(lowered.dropFirst(4))) }
    for form in forms {
      let path = form.prefix { $0 != "?" && $0 != "#" }
      // Keeps the slash directly after the host, which is the whole path. The last slash of a
      // longer path may be dropped.
      guard path.hasSuffix("/"), path.split(separator: "/").count > 2 else { continue }
      add(String(path.dropLast()) + String(form.dropFirst(path.count)))
    }
    return forms
  }

  init(_ link: String) {
    let withoutFragment = link.prefix { $0 != "#" }
    page = String(withoutFragment.prefix { $0 != "?" })
    items = Set(
      withoutFragment.dropFirst(page.count + 1).split(separator: "&").filter { item in
        let name = item.prefix { $0 != "=" }
        return !name.hasPrefix("utm_") && !Self.campaignNames.contains(name)
      })
  }
}
