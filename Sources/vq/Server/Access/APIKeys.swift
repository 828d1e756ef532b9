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
/// A line is `ROLE NAME sha256:HEX`. Keys are 256 random bits, so that a plain hash of one tells
/// nothing about it.
struct APIKeys: Sendable {
  /// The rights of a key.
  enum Role: String, Sendable, CaseIterable {
    /// It may read.
    case read
    /// It may read and say something about answers, which counts once somebody has accepted it. An app
    /// may have it that anybody can install.
    case feedback
    /// It may read and change the catalogue.
    case write

    /// Whether the role has all rights of another.
    func includes(_ other: Role) -> Bool {
      let order = Self.allCases
      return order.firstIndex(of: self)! >= order.firstIndex(of: other)!
    }
  }

  /// One key of the file.
  struct Key: Sendable, Hashable {
    let role: Role
    /// The name in logs and limits.
    let name: String
    let hash: [UInt8]
  }

  let keys: [Key]

  /// Whether any key has a right.
  func hasKey(for role: Role) -> Bool { keys.contains { $0.role.includes(role) } }

  /// Reads the lines of a file.
  ///
  /// - Throws: ``CommandFailure`` that names the line.
  init(lines text: String, file: String) throws {
    var keys: [Key] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let parts = line.split(whereSeparator: \.isWhitespace)
      if parts.isEmpty || parts[0].hasPrefix("#") { continue }
      guard parts.count == 3, let role = Role(rawValue: String(parts[0])),
        let hash = Self.hash(parts[2]), !keys.contains(where: { $0.name == parts[1] })
      else {
        throw CommandFailure(
          .usage,
          "'\(file)', line \(number + 1), is not 'read|feedback|write NAME sha256:HEX' with a new name",
          advice: ["vq key \(file) --name NAME"])
      }
      keys.append(Key(role: role, name: String(parts[1]), hash: hash))
    }
    self.keys = keys
  }

  /// Reads a file.
  init(file: String) throws {
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder().contents(ofFile: file)
    } catch {
      throw CommandFailure(
        .usage, "cannot read the keys in '\(file)': \(error.message)",
        advice: ["vq key \(file) --name NAME"])
    }
    try self.init(lines: String(decoding: bytes, as: UTF8.self), file: file)
  }

  /// The key that a request was made with: `Authorization: Bearer KEY` (RFC 6750, 2.1).
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
  static func made(role: Role, name: String) -> (key: String, line: String) {
    var generator = SystemRandomNumberGenerator()
    let words = (0..<4).map { _ in generator.next() as UInt64 }
    let key = "vq_" + words.map(ASCII.hexadecimal).joined()
    let hash = SHA256.hash(Array(key.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return (key, "\(role.rawValue) \(name) sha256:\(hash.joined())")
  }

  private static func hash(_ text: Substring) -> [UInt8]? {
    guard text.hasPrefix("sha256:") else { return nil }
    let digits = text.dropFirst("sha256:".count).utf8.map(ASCII.hexadecimal)
    let values = digits.compactMap { $0 }
    guard digits.count == 64, values.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
