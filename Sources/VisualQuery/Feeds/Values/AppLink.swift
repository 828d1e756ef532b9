/// The link of an entity into the shop's app for iOS, as feeds for ads and pages of shops have it: `ios_url`, `applink.ios_url`,
/// `al:ios:url`. If the shop accepts its scheme, it is the link of the entity.
enum AppLink {
  /// The names of the fields, in the form of ``FeedData/plain(_:)``, the best one first. Within objects, they are those of all
  /// objects, one after the other.
  private static let names = [
    "iosurl", "applinkiosurl", "applinksiosurl", "aliosurl", "applinkaliosurl", "iphoneurl",
    "applinkiphoneurl", "applinksiphoneurl", "aliphoneurl",
  ]
  /// The names of the objects that have such fields.
  private static let objects: Set<String> = ["applink", "applinks", "al"]

  /// Makes the link into the app the link of an entity. The link of its page is then kept as ``EntityValue/pageField``.
  ///
  /// - Returns: The scheme of the link if the shop does not accept it.
  static func apply(
    to fields: inout [String: JSONValue], allowedSchemes: Set<String>
  ) -> String? {
    guard let link = link(in: fields) else { return nil }
    do throws(LinkError) {
      try Link.check(link, allowedSchemes: allowedSchemes)
    } catch {
      guard error.code == .schemeNotAllowed else { return nil }
      return link.prefix { $0 != ":" }.lowercased()
    }
    if case .string(let page)? = fields["url"], page != link {
      fields[EntityValue.pageField] = .string(page)
    }
    fields["url"] = .string(link)
    return nil
  }

  private static func link(in fields: [String: JSONValue]) -> String? {
    var best: (rank: Int, link: String)?
    func look(in fields: [String: JSONValue], beneath path: String) {
      for (name, value) in fields {
        switch value {
        // All names end with an l, and most names of other fields do not.
        case .string(let text) where name.utf8.last.map({ $0 | 0x20 }) == UInt8(ascii: "l"):
          guard name.utf8.count <= 40,
            let rank = names.firstIndex(of: path + FeedData.plain(name)), rank < best?.rank ?? .max
          else { continue }
          let link = text.trimmed
          if !link.isEmpty { best = (rank, link) }
        case .object(let inner):
          guard name.utf8.count <= 10 else { continue }
          let plain = FeedData.plain(name)
          if path.isEmpty ? objects.contains(plain) : path.utf8.count < 20 {
            look(in: inner, beneath: path + plain)
          }
        default: continue
        }
      }
    }
    look(in: fields, beneath: "")
    return best?.link
  }
}
