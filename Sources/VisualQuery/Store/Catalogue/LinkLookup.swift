/// The search for what a link opens: the entity with this URL, or the one for which the shop's template gives it. Without
/// a match, what marketing adds is ignored: the fragment, and the query as far as it is not part of the entity's own URL.
/// The scheme and the host may be written in any case (RFC 3986, 6.2.2.1), the scheme may be that of `http`, the host may begin with `www.`, and
/// the path may end with a slash: people type and print links in these ways.
package struct LinkLookup: Sendable {
  private let catalogue: Catalogue
  private let shouldStop: @Sendable () -> Bool

  package init(catalogue: Catalogue, shouldStop: @escaping @Sendable () -> Bool) {
    (self.catalogue, self.shouldStop) = (catalogue, shouldStop)
  }

  /// Returns the entities that a link opens, which are several if they have one page.
  ///
  /// - Throws: ``CatalogueError``, with the code `timedOut` if the lookup was told to stop.
  /// - Complexity: O(*n*) for *n* entities with a URL of their own.
  package func entities(forLink link: String) async throws -> [EntityValue] {
    let forms = LinkAddress.forms(of: link).filter {
      $0.unicodeScalars.count < EntityComparator.textLimit
    }
    let found = try await entities(withAnyOf: forms)
    if !found.isEmpty { return found }
    let addresses = forms.map(LinkAddress.init)
    let paged = try await entities(atAnyOf: addresses)
    if !paged.isEmpty { return paged }
    return try await entities(withAnyOf: addresses.map(\.page).filter { !forms.contains($0) })
  }

  /// Returns the entities with the first of some URLs that one has, byte for byte, or that a template gives.
  private func entities(withAnyOf links: [String]) async throws -> [EntityValue] {
    let own = try await entities(
      matching: links.map { EntityComparator(EntityProperty("url"), .equalTo(.text($0))) })
    for link in links {
      let found = own.filter { $0.links.contains(link) }
      if !found.isEmpty { return found }
      let named = EntityType.allCases.compactMap { type in
        catalogue.links.templates[type]?.value(of: "id", in: link)
          .map { EntityID(type: type, value: $0) }
      }
      if named.isEmpty { continue }
      let values = try catalogue.read(stoppingWhen: shouldStop) {
        database throws(CatalogueError) in
        try database.entities.values(of: named)
      }
      let linked = values.filter { catalogue.links.handoff(for: $0).url == link }
      if !linked.isEmpty { return linked }
    }
    return []
  }

  /// The most entities of one page, such as its variants, that are looked through.
  private static let pageLimit = 500

  /// Returns the entities whose own URL has the page of an address and, of the query, the most items that the address has, too,
  /// and none that it lacks.
  private func entities(atAnyOf addresses: [LinkAddress]) async throws -> [EntityValue] {
    let found = try await entities(
      matching: addresses.map {
        EntityComparator(EntityProperty("url"), .hasPrefix($0.page + "?"))
      })
    for address in addresses {
      let fitting = found.compactMap { value -> (value: EntityValue, count: Int)? in
        let own = value.links.map(LinkAddress.init).first {
          $0.page == address.page && $0.items.isSubset(of: address.items)
        }
        return own.map { (value, $0.items.count) }
      }
      guard let most = fitting.map(\.count).max() else { continue }
      return fitting.filter { $0.count == most }.map(\.value)
    }
    return []
  }

  private func entities(matching conditions: [EntityComparator]) async throws -> [EntityValue] {
    if conditions.isEmpty { return [] }
    do {
      return try await catalogue.entities(
        matching: EntityFilter(comparators: conditions, mode: .or), types: EntityType.allCases,
        limit: Self.pageLimit, shouldStop)
    } catch let error as MatchError where error.code == .invalidFilter {
      // No entity of the catalogue has a link of its own.
      return []
    }
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
    let schemes = ["https://", "http://"]
    if let scheme = schemes.first(where: { lowered.hasPrefix($0) }) {
      let rest = String(lowered.dropFirst(scheme.count))
      let other = rest.hasPrefix("www.") ? String(rest.dropFirst(4)) : "www." + rest
      for address in [rest, other] {
        for scheme in schemes { add(scheme + address) }
      }
    }
    for form in forms {
      let path = form.prefix { $0 != "?" && $0 != "#" }
      // Keeps the slash directly after the host, which is the whole path. The last slash of a
      // longer path may be dropped.
      guard path.split(separator: "/").count > 2 else { continue }
      let other = path.hasSuffix("/") ? String(path.dropLast()) : path + "/"
      add(other + form.dropFirst(path.count))
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
