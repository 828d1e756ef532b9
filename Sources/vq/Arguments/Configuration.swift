#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// The user's own defaults of options, from a file with one `[COMMAND.]OPTION = VALUE` per line.
///
/// Only the file that `VQ_CONFIG` names, or `.vqrc` in the user's home, is read: a file in the folder that `vq` happens to run in
/// could make it fetch or show what its user did not ask for.
struct Configuration: Sendable {
  /// One default.
  struct Entry: Sendable, Hashable {
    let line: Int
    /// The command that it is for, or `nil` for every command that has the option.
    let command: String?
    /// The long name of the option.
    let option: String
    let text: String
  }

  /// The longest accepted file, in bytes.
  static let byteLimit = 65_536

  /// The file, or an empty text if there is none.
  let path: String
  let entries: [Entry]

  /// No defaults.
  static let none = Configuration(path: "", entries: [])

  private init(path: String, entries: [Entry]) {
    (self.path, self.entries) = (path, entries)
  }

  /// Reads the file of an environment; one that the environment does not name may be missing.
  ///
  /// - Throws: ``UsageError`` with the code `invalidConfiguration`.
  static func read(
    environment: [String: String], commands: [CommandDescription]
  ) throws(UsageError) -> Configuration {
    let named = environment["VQ_CONFIG"]
    guard named?.isEmpty != true, let path = named ?? environment["HOME"].map({ $0 + "/.vqrc" })
    else { return .none }
    if named == nil, !FileManager.default.fileExists(atPath: path) { return .none }
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: byteLimit)).contents(ofFile: path)
    } catch {
      throw UsageError(
        .invalidConfiguration, "cannot read the defaults in \(quoted(path)): \(error.message)",
        command: nil)
    }
    return try Configuration(
      path: path, text: String(decoding: bytes, as: UTF8.self), commands: commands)
  }

  /// Reads the text of a file.
  ///
  /// - Throws: ``UsageError`` with the code `invalidConfiguration`, which names the line.
  init(path: String, text: String, commands: [CommandDescription]) throws(UsageError) {
    var entries: [Entry] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      do throws(UsageError) {
        entries.append(try Self.entry(line, number: index + 1, entries, commands))
      } catch {
        throw Self.located(error, path, line: index + 1)
      }
    }
    self.init(path: path, entries: entries)
  }

  /// Returns the texts of an option for a command, as if they were on its command line, or `nil` if the file has none.
  ///
  /// - Throws: ``UsageError`` with the code `invalidConfiguration` for a value that the option does not accept.
  func texts(
    of option: OptionDescription, for command: String
  ) throws(UsageError) -> [String]? {
    let own = entries.filter { $0.option == option.name && $0.command == command }
    let chosen =
      own.isEmpty ? entries.filter { $0.option == option.name && $0.command == nil } : own
    if chosen.isEmpty { return nil }
    var texts: [String] = []
    for entry in chosen {
      if option.value == nil {
        guard let isSet = EnvironmentDefaults.flag(entry.text) else {
          throw Self.located(
            UsageError(
              .invalidConfiguration,
              "'\(entry.option)' takes yes or no; found \(found(entry.text))", command: command),
            path, line: entry.line)
        }
        if isSet { texts.append("") }
      } else {
        guard option.accepts(entry.text) else {
          throw Self.located(
            unacceptable(entry.text, for: option, given: entry.option, command: command), path,
            line: entry.line)
        }
        texts.append(entry.text)
      }
    }
    return texts.isEmpty ? nil : texts
  }

  private static func entry(
    _ line: String, number: Int, _ earlier: [Entry], _ commands: [CommandDescription]
  ) throws(UsageError) -> Entry {
    func failure(_ message: String) -> UsageError {
      UsageError(.invalidConfiguration, message, command: nil)
    }
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw failure("expected OPTION = VALUE; found \(found(line))")
    }
    let names = parts[0].trimmed.split(separator: ".", maxSplits: 1).map(String.init)
    let command = names.count == 2 ? names[0] : nil
    if let command, !commands.contains(where: { $0.name == command }) {
      throw failure(
        "unknown command \(quoted(command))" + didYouMean(command, among: commands.map(\.name)))
    }
    let name = names.last ?? ""
    let options =
      commands.filter { command == nil || $0.name == command }.flatMap(\.options)
      + [CommonOptions.color.description]
    guard let option = options.first(where: { $0.name == name }) else {
      throw failure(
        "unknown option \(quoted(name))" + (command.map { " for 'vq \($0)'" } ?? "")
          + didYouMean(name, among: options.map(\.name)))
    }
    let same = earlier.first { $0.option == name && $0.command == command }
    if let same, !option.mayRepeat || option.value == nil {
      throw failure("'\(name)' is given in line \(same.line) already")
    }
    return Entry(line: number, command: command, option: name, text: parts[1].trimmed)
  }

  private static func located(_ error: UsageError, _ path: String, line: Int) -> UsageError {
    UsageError(
      .invalidConfiguration, "\(quoted(path)), line \(line): \(error.message)",
      command: error.command)
  }
}
