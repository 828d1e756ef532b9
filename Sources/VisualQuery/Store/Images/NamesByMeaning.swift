internal import Synchronization

/// Finds the file that a name means if there is none of exactly this name, as shops that move between systems write names.
///
/// A folder of a Mac has names in decomposed characters, and a catalogue of Windows has other cases, `\\` and drives; exports have
/// names as parts of addresses, with `%20`, `&amp;` and `?v=3`. The files are those beneath the root, in folders that are
/// listed once.
package final class NamesByMeaning: Sendable {
  /// What a name means.
  enum Meaning: Hashable {
    /// No file, or only files with exactly this name.
    case none
    case file(String)
    /// Files that it may mean as well as each other.
    case several([String])
  }

  /// The most files and folders of all lists. Folders beyond it are not searched.
  package static let entryLimit = 200_000
  /// The most folders in a name, and the most files that are looked for of one name.
  private static let (componentLimit, candidateLimit) = (32, 8)

  private struct State {
    /// The names in each folder, by what is compared of them.
    var lists: [String: [String: [String]]] = [:]
    var entryCount = 0
    /// The meanings of names so far.
    var known: [String: Meaning] = [:]
    var foundCount = 0
  }

  private let root: ConfinedFolder
  private let state = Mutex(State())

  init(root: ConfinedFolder) { self.root = root }

  /// The number of names that were found by what they mean.
  package var count: Int { state.withLock { $0.foundCount } }

  /// Returns what a name means.
  func meaning(of name: String) -> Meaning {
    state.withLock { state in
      if let known = state.known[name] { return known }
      var files: [String] = []
      for form in Self.forms(of: name) {
        for components in places(of: form) {
          for file in self.files(components[...], in: "", &state) where !files.contains(file) {
            files.append(file)
          }
        }
        if !files.isEmpty { break }
      }
      let meaning: Meaning =
        files.isEmpty ? .none : files.count == 1 ? .file(files[0]) : .several(files.sorted())
      if files.count == 1 { state.foundCount += 1 }
      if state.known.count < Self.entryLimit { state.known[name] = meaning }
      return meaning
    }
  }

  // MARK: Names

  /// Returns the forms of a name: as it is, and without references of HTML, percent encoding and a query, which may be parts
  /// of a name, too.
  static func forms(of name: String) -> [String] {
    var forms = [name]
    for change in [withoutReferences, decoded, withoutQuery] {
      for form in forms.map(change) where !forms.contains(where: { $0.hasSameBytes(as: form) }) {
        forms.append(form)
      }
    }
    return forms
  }

  private static let references = [
    ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&lt;", "<"),
    ("&gt;", ">"),
    ("&nbsp;", " "), ("&#160;", " "), ("&#38;", "&"), ("&amp;", "&"),
  ]

  private static func withoutReferences(_ name: String) -> String {
    guard name.contains("&") else { return name }
    return references.reduce(name) { $0.replacing($1.0, with: $1.1) }
  }

  private static func withoutQuery(_ name: String) -> String { String(name.prefix { $0 != "?" }) }

  private static func decoded(_ name: String) -> String {
    guard name.contains("%") else { return name }
    var bytes: [UInt8] = []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16), value > 0
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? name
  }

  /// Returns the components of the paths beneath the root that a name may have; none if it leads out.
  ///
  /// An absolute name is one of the root. If the root is called like one of its folders, it is also that folder.
  private func places(of name: String) -> [[String]] {
    var path = name.replacing("\\", with: "/")[...]
    var isAbsolute = path.hasPrefix("/")
    if path.lowercased().hasPrefix("file:") {
      (path, isAbsolute) = (path.dropFirst(5), true)
      if path.lowercased().hasPrefix("//localhost/") { path = path.dropFirst(11) }
    }
    var components = path.split(separator: "/").map(String.init).filter { $0 != "." }
    if let drive = components.first, drive.count == 2, drive.last == ":",
      drive.first?.isLetter == true
    {
      components.removeFirst()
      isAbsolute = true
    }
    guard !components.isEmpty, components.count <= Self.componentLimit, !components.contains("..")
    else { return [] }
    var places = [components]
    let own = root.path.split(separator: "/").last.map { Self.key(String($0)) }
    if isAbsolute, let place = components.dropLast().lastIndex(where: { Self.key($0) == own }) {
      places.append(Array(components[(place + 1)...]))
    }
    return places
  }

  /// Returns what is compared of the name of a file or a folder. Texts are equal whether their characters are composed or not.
  private static func key(_ name: String) -> String {
    var key = name.lowercased().replacing("\u{A0}", with: " ").replacing("+", with: " ")
    if key.hasSuffix(".jpeg") { key = key.dropLast(2) + "g" }
    return key
  }

  // MARK: Files

  /// Returns the files at a path beneath a folder.
  private func files(
    _ components: ArraySlice<String>, in folder: String, _ state: inout State
  ) -> [String] {
    guard let first = components.first else { return [] }
    let names = list(of: folder, &state)[Self.key(first)] ?? []
    let paths = names.prefix(Self.candidateLimit).map { folder.isEmpty ? $0 : folder + "/" + $0 }
    if components.count == 1 { return paths }
    return Array(
      paths.flatMap { files(components.dropFirst(), in: $0, &state) }.prefix(Self.candidateLimit))
  }

  /// Returns the names in a folder beneath the root by what is compared of them; none if it leads out, or is not a folder.
  private func list(of folder: String, _ state: inout State) -> [String: [String]] {
    if let known = state.lists[folder] { return known }
    var names: [String] = []
    let room = Self.entryLimit - state.entryCount
    if room > 0, let opened = try? root.open(folder.isEmpty ? "." : folder),
      opened.status.isDirectory
    {
      // The open folder is listed, so that no link can lead elsewhere meanwhile.
      names = Folder.names(in: "/proc/self/fd/\(opened.descriptor)", limit: room + 1)
      if names.count > room { names = [] }
    }
    state.entryCount += names.count + 1
    let list = Dictionary(grouping: names.filter { $0 != "." && $0 != ".." }, by: Self.key)
    state.lists[folder] = list
    return list
  }
}
