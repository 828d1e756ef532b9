import VisualQuery

/// The files that a command line asks to write: `--report *.jpg` would replace the first image by a page.
/// They are checked before the command begins.
enum OutputFiles {
  /// A kind of files, by the name of its option.
  private enum Kind: String, CaseIterable {
    case report, rejected, export

    var option: String { "--" + rawValue }

    /// The description of a file in messages.
    var meaning: String {
      switch self {
      case .report: "a report that vq wrote"
      case .rejected: "a list of rejected rows that vq wrote"
      case .export: "an export of numbers that vq wrote"
      }
    }

    /// Returns whether a file is of this kind, by its beginning.
    func isWritten(_ path: String) -> Bool {
      func start(_ limit: Int) -> [UInt8] {
        guard let file = FileDescriptor.reading(path) else { return [] }
        defer { file.close() }
        let start = try? file.bytes(at: 0, limit: limit)
        return (start ?? nil) ?? []
      }
      switch self {
      case .report: return ReportPage.isReport(start(ReportPage.startLength))
      case .export:
        let line = Array(SearchNumbers.exportStart.utf8)
        return start(line.count) == line
      case .rejected: return RejectedRowsList.isList(path)
      }
    }
  }

  /// Checks that no file of the user would be replaced. Devices, pipes and the standard streams may be
  /// written to, and so may empty files.
  ///
  /// - Throws: ``CommandFailure`` with the exit code `usage`.
  static func check(_ arguments: ParsedArguments) throws(CommandFailure) {
    let outputs = Kind.allCases.compactMap { kind in
      arguments.texts(of: kind.rawValue)?.last.map { (kind: kind, path: $0) }
    }.filter { !FileDescriptor.isSpecial($0.path) }
    if outputs.isEmpty { return }
    let options = Set(Kind.allCases.map(\.rawValue))
    let inputs = arguments.paths(except: options).filter { !FileDescriptor.isSpecial($0) }
      .compactMap { FileStatus($0) }
    for (index, output) in outputs.enumerated() {
      // A file is written under the second name, and then gets the first one.
      for name in names(output.path) {
        try check(name, output.kind, inputs)
        for other in outputs[..<index] where names(other.path).contains(where: { isSame($0, name) })
        {
          throw CommandFailure(
            .usage,
            "\(other.kind.option) and \(output.kind.option) would both write '\(name)'; name two files"
          )
        }
      }
    }
  }

  private static func check(
    _ path: String, _ kind: Kind, _ inputs: [FileStatus]
  ) throws(CommandFailure) {
    guard let status = FileStatus(path), status.isRegular else { return }
    guard !inputs.contains(where: { status.isSameFile(as: $0) }) else {
      throw CommandFailure(
        .usage,
        "\(kind.option) would replace '\(path)', which this command reads; name another file")
    }
    guard status.byteCount == 0 || kind.isWritten(path) else {
      throw CommandFailure(
        .usage,
        "\(kind.option) would replace '\(path)', which is not \(kind.meaning); name another file, or remove it first"
      )
    }
  }

  /// The names that a file has while and after it is written.
  private static func names(_ path: String) -> [String] { [path, path + ".tmp"] }

  /// Returns whether two paths name one file, which need not exist.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    if let status = FileStatus(first) { return status.isSameFile(as: FileStatus(second)) }
    let ends = [first, second].map { path in
      let slash = path.lastIndex(of: "/")
      return (
        folder: FileStatus(slash.map { String(path[...$0]) } ?? "."),
        name: slash.map { path[path.index(after: $0)...] } ?? path[...]
      )
    }
    return ends[0].name == ends[1].name && ends[0].folder?.isSameFile(as: ends[1].folder) == true
  }
}
