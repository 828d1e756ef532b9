import VisualQuery

/// Findings of the doctor.
struct FindingsDocument: Sendable, Encodable {
  struct Finding: Sendable, Encodable {
    let kind: CatalogueDoctor.Finding.Kind
    let id: String
    let detail: String
    let cure: String
    let twin: String?
    let image: Int?
  }

  let generation: Int
  /// The number of all findings.
  let total: Int
  let findings: [Finding]
}

/// Labels that nothing in the shop has.
struct UnknownLabelsDocument: Sendable, Encodable {
  let generation: Int
  let labels: [UnmatchedLabels.Count]
}

/// A label that was added to the bridge.
struct BridgeDocument: Sendable, Encodable {
  let generation: Int
  let label: String
  let labels: [String]
}

/// Rows and images that the last run rejected.
struct RejectedRowsDocument: Sendable, Encodable {
  struct Row: Sendable, Encodable {
    let kind: String
    let line: Int
    let id: String?
    let field: String?
    let reason: String

    /// Reads a line of `rejected.jsonl`; `nil` if it is not one.
    init?(line bytes: [UInt8], shown: (String) -> String) {
      // A line contains a row, so it may be one level deeper than a row.
      let limits = JSONLimits(
        depth: 2 * JSONLimits().depth, valueCount: 2 * JSONLimits().valueCount,
        byteCount: 2 * RefusedRowsFile.lineLimit, nameByteCount: 1024)
      guard case .object(let object)? = try? JSONValue(json: bytes, limits: limits),
        case .string(let kind)? = object["kind"], case .integer(let line)? = object["line"],
        case .string(let reason)? = object["reason"]
      else { return nil }
      func text(_ name: String) -> String? {
        if case .string(let text)? = object[name] { text } else { nil }
      }
      self.kind = kind
      self.line = Int(line)
      id = text("id")
      field = text("field")
      self.reason = shown(reason)
    }
  }

  let rows: [Row]
  let hasMore: Bool
  /// The cursor of the next page.
  let cursor: String?
}
