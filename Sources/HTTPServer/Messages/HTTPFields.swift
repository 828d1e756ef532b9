/// The header fields of a message, in the order they came; names in lower case.
package struct HTTPFields: Sendable, Hashable {
  private(set) var all: [Field] = []

  /// One line of a message's head.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Adds a field.
  mutating func append(_ name: String, _ value: String) {
    all.append(Field(name: ASCII.lowercased(name), value: value))
  }

  /// The first value of a field, by its name in lower case.
  package subscript(name: String) -> String? { all.first { $0.name == name }?.value }

  /// All values of a field, by its name in lower case.
  package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

  /// The elements of a field that is a list between commas (RFC 9110, 5.6.1).
  package func list(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }.map { $0.trimming(" \t") }
      .filter { !$0.isEmpty }
  }
}

extension StringProtocol {
  /// The text without some characters at its ends.
  package func trimming(_ characters: String) -> String {
    var rest = self[...]
    while let first = rest.first, characters.contains(first) { rest.removeFirst() }
    while let last = rest.last, characters.contains(last) { rest.removeLast() }
    return String(rest)
  }
}
