#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import PixelMatch
import VisualQuery

/// The keys of the server by their hashes, from a file that is read at the start and on SIGHUP.
///
/// A line is `ROLE NAME sha256:HEX`, and `until=DAY` after it if the key ends. Keys are 256 random bits, so that a plain
/// hash of one tells nothing about it. Two keys may have the same name, so that clients can change from one to the other.
struct APIKeys: Sendable {
  /// The rights of a key.
  enum Role: String, Sendable, CaseIterable {
    /// The key may search, and read what an app shows of it, but not list the catalogue. Everybody can read it in an app.
    case app
    /// The key may read.
    case read
    /// The key may read, and send statements about answers, which take effect once somebody of the shop has accepted
    /// them. It may be in an app that anybody can install.
    case feedback
    /// The key may read the metrics and the details of readiness, and nothing of the catalogue.
    case operate
    /// The key may read and change the catalogue, and do everything else.
    case write

    /// Returns whether the role has all rights of another.
    func includes(_ other: Role) -> Bool {
      switch self {
      case .app, .operate: other == self
      case .read: other == .read || other == .app
      case .feedback: [.app, .read, .feedback].contains(other)
      case .write: true
      }
    }

    /// The rights for people, after "the key may".
    var rights: String {
      switch self {
      case .app: "search and look up single entities only"
      case .read: "read only"
      case .feedback: "read and give feedback only"
      case .operate: "read metrics and readiness only"
      case .write: "do everything"
      }
    }
  }

  /// One key of the file.
  struct Key: Sendable, Hashable {
    let role: Role
    /// The name in logs and limits.
    let name: String
    let hash: [UInt8]
    /// The last day of the key in UTC, such as `2027-01-31`, or `nil` if it does not end.
    let lastDay: String?
    /// The instant from which on the key is rejected, or `nil` if it does not end.
    let end: Date?

    /// Returns whether the key is rejected by now.
    func hasEnded(at date: Date = Date()) -> Bool { end.map { date >= $0 } ?? false }
  }

  /// The most keys of one name: the present one and the one that replaces it.
  static let keysPerName = 2

  let keys: [Key]
  /// True if the last line does not end with a line break, so that appended text would continue it.
  let isOpenEnded: Bool

  /// Returns whether any key that has not ended has a right.
  func hasKey(for role: Role) -> Bool {
    keys.contains { $0.role.includes(role) && !$0.hasEnded() }
  }

  /// The number of days before the end of a key in which it is said.
  private static let warningDays = 30.0

  /// Returns a sentence for each name whose last key has ended or ends soon.
  func endings(at date: Date = Date()) -> [String] {
    let latest = Dictionary(grouping: keys, by: \.name).compactMapValues { keys in
      keys.contains { $0.end == nil } ? nil : keys.max { ($0.lastDay ?? "") < ($1.lastDay ?? "") }
    }
    return latest.values.sorted { $0.name < $1.name }.compactMap { key in
      let name = "the key '\(DisplayText.escaped(key.name))'"
      if key.hasEnded(at: date) { return "\(name) ended with \(key.lastDay ?? "")" }
      let isSoon = key.hasEnded(at: date.addingTimeInterval(Self.warningDays * 86_400))
      return isSoon ? "\(name) ends with \(key.lastDay ?? "")" : nil
    }
  }

  /// Reads the lines of a file.
  ///
  /// - Throws: ``CommandFailure`` that names the line.
  init(lines text: String, file: String) throws {
    var keys: [Key] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let parts = line.split(whereSeparator: \.isWhitespace)
      if parts.isEmpty || parts[0].hasPrefix("#") { continue }
      do throws(LineError) {
        keys.append(try Self.key(parts, besides: keys))
      } catch {
        throw CommandFailure(
          .usage,
          "'\(file)', line \(number + 1), \(error.reason); a line is '\(Self.lineForm)'",
          advice: ["vq key \(file) --name NAME"])
      }
    }
    self.keys = keys
    isOpenEnded = !text.isEmpty && text.last?.isNewline == false
  }

  /// The form of a line, for people.
  static let lineForm =
    Role.allCases.map(\.rawValue).joined(separator: "|") + " NAME sha256:HEX [until=DAY]"

  /// The reason why a line is not a key, as the rest of a sentence.
  private struct LineError: Error {
    let reason: String
  }

  /// Returns the key of a line's words. Errors do not contain the third word, which may be a secret.
  private static func key(
    _ parts: [Substring], besides keys: [Key]
  ) throws(LineError) -> Key {
    guard parts.count == 3 || parts.count == 4 else {
      throw LineError(reason: "has \(DisplayText.count(parts.count, "word", "words"))")
    }
    guard let role = Role(rawValue: String(parts[0])) else {
      let near = Suggestion.nearest(to: String(parts[0]), among: Role.allCases.map(\.rawValue))
      throw LineError(
        reason: "has the unknown role '\(DisplayText.escaped(String(parts[0].prefix(40))))'"
          + (near.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    guard let hash = hash(parts[2]) else {
      throw LineError(
        reason: parts[2].hasPrefix(keyPrefix)
          ? "has a key in place of its hash, which nobody but the client should have"
          : "has a hash that is not 'sha256:' and 64 hexadecimal digits")
    }
    let name = String(parts[1])
    let sameName = keys.filter { $0.name == name }
    if sameName.contains(where: { $0.role != role }) {
      throw LineError(
        reason: "has the name '\(DisplayText.escaped(name))' of an earlier line of another role")
    }
    if sameName.contains(where: { $0.hash == hash }) {
      throw LineError(reason: "has the key of an earlier line")
    }
    if sameName.count >= keysPerName {
      throw LineError(
        reason: "is the third of the name '\(DisplayText.escaped(name))'; two are accepted, "
          + "so that clients can change from one to the other")
    }
    let lastDay = try parts.count == 4 ? lastDay(parts[3]) : nil
    return Key(
      role: role, name: name, hash: hash, lastDay: lastDay, end: lastDay.flatMap(endOfDay))
  }

  private static let endPrefix = "until="

  private static func lastDay(_ word: Substring) throws(LineError) -> String {
    let day = String(word.dropFirst(endPrefix.count))
    guard word.hasPrefix(endPrefix), endOfDay(day) != nil else {
      throw LineError(
        reason: "ends with '\(DisplayText.escaped(String(word.prefix(40))))' instead of "
          + "a day such as 'until=2027-01-31'")
    }
    return day
  }

  /// Returns the instant at which a day such as `2027-01-31` ends in UTC, or `nil` if the text is not a day.
  static func endOfDay(_ day: String) -> Date? {
    guard day.utf8.count == 10, let start = try? Date(day + "T00:00:00Z", strategy: .iso8601),
      start.formatted(Date.ISO8601FormatStyle().year().month().day()) == day
    else { return nil }
    return start.addingTimeInterval(86_400)
  }

  private static let keyPrefix = "vq_"

  /// Reads a file.
  init(file: String) throws {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder().contents(ofFile: file)
    } catch {
      throw CommandFailure(
        .usage, "cannot read the keys in '\(file)': \(error.message)",
        advice: FileDescriptor.exists(file) ? [] : ["vq key \(file) --name NAME"])
    }
    try self.init(lines: String(decoding: bytes, as: UTF8.self), file: file)
  }

  /// The key that a request was made with, also if it has ended: `Authorization: Bearer KEY` (RFC 6750, 2.1).
  ///
  /// Takes equally long for every key, right or wrong.
  func key(of fields: HTTPFields) -> Key? {
    let given = fields.values("authorization")
    guard given.count == 1, given[0].lowercased().hasPrefix("bearer ") else { return nil }
    let hash = SHA256.hash(Array(given[0].dropFirst("bearer ".count).trimming(" ").utf8))
    var found: Key?
    for key in keys {
      let difference = zip(hash, key.hash).reduce(0) { $0 | ($1.0 ^ $1.1) }
      if difference == 0 { found = key }
    }
    return found
  }

  /// Makes a new random key and its line of the file.
  ///
  /// - Parameter lastDay: The last day of the key, or `nil` if it does not end.
  static func made(
    role: Role, name: String, until lastDay: String? = nil
  ) -> (key: String, line: String) {
    var generator = SystemRandomNumberGenerator()
    let words = (0..<4).map { _ in generator.next() as UInt64 }
    let key = keyPrefix + words.map(ASCII.hexadecimal).joined()
    let hash = SHA256.hash(Array(key.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let end = lastDay.map { " \(endPrefix)\($0)" } ?? ""
    return (key, "\(role.rawValue) \(name) sha256:\(hash.joined())\(end)")
  }

  private static func hash(_ text: Substring) -> [UInt8]? {
    guard text.hasPrefix("sha256:") else { return nil }
    let digits = text.dropFirst("sha256:".count).utf8.map(ASCII.hexadecimal)
    let values = digits.compactMap { $0 }
    guard digits.count == 64, values.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
