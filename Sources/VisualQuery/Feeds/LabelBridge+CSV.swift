extension LabelBridge {
  /// Reads a file.
  ///
  /// - Throws: ``FeedError``, which names the line.
  public init(path: String) throws(FeedError) {
    var records = try RecordReader(path: path)
    guard try records.peek() != nil else {
      throw Self.error(path, 1, "the header must name the columns label and labels")
    }
    let header = try TableHeader(&records)
    guard header.columns.contains("label"), header.columns.contains("labels") else {
      throw Self.error(path, header.line, "the header must name the columns label and labels")
    }
    var targets: [String: Set<String>] = [:]
    while let record = try records.next() {
      guard case .bytes(let bytes, let line) = record else {
        throw Self.error(path, 0, "a line is too long")
      }
      let fields: [String]
      do throws(FieldError) {
        fields = try header.fields(bytes)
      } catch {
        throw Self.error(path, line, error.reason)
      }
      func list(_ column: String) -> [String] {
        guard let index = header.columns.firstIndex(of: column) else { return [] }
        return fields[index].split(separator: "|").map { LabelText.normalized(String($0)) }
          .filter { !$0.isEmpty }
      }
      let own = list("labels")
      for outside in list("label") + list("synonyms") {
        targets[outside, default: []].formUnion(own)
      }
    }
    self.init(targets: targets)
  }

  private static func error(_ path: String, _ line: Int, _ reason: String) -> FeedError {
    FeedError(message: "'\(path)', line \(line): \(reason)")
  }
}
