extension JSONValue {
  /// Returns the value after a merge patch (RFC 7396): objects are merged name by name, `null` removes a name, and any other
  /// value takes the place of the old one.
  package func merged(with patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var fields: [String: JSONValue] = [:]
    if case .object(let own) = self { fields = own }
    for (name, change) in changes {
      fields[name] = change == .null ? nil : (fields[name] ?? .null).merged(with: change)
    }
    return .object(fields)
  }
}
