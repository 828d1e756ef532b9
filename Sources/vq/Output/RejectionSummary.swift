import Synchronization
import VisualQuery

/// The rejected rows, images and fields of a run by their reasons, so that ten thousand of a kind
/// are one line.
final class RejectionSummary: Sendable {
  /// The most reasons that have a line of their own.
  private static let lineLimit = 40
  /// The most reasons that are told apart.
  private static let reasonLimit = 1000

  private struct Reason {
    /// The first report of the reason, without its row.
    let first: RefusedRow
    var text: ReasonText
    /// The field of all reports; without a position if that differs.
    var field: String?
    var count = 1

    /// Counts a further report.
    mutating func add(_ row: RefusedRow, _ text: ReasonText? = nil) {
      count += 1
      if let text { self.text.join(text) }
      if field != row.field { field = field.map(RejectionSummary.withoutPosition) }
    }
  }

  private struct State {
    var places: [String: Int] = [:]
    /// The places by the reasons as they are written, so that a repeated one is not analyzed again.
    var known: [String: Int] = [:]
    var reasons: [Reason] = []
    var further = 0
    var rowName = "line"
  }

  private let state = Mutex(State())

  /// Takes over the word for what the rows of a feed are counted by.
  func take(_ mapping: FeedMapping) {
    state.withLock { $0.rowName = mapping.format.rowName }
  }

  /// Counts a row, an image or a field. Images that were not fetched have a report of their own, by
  /// their hosts.
  func add(_ row: RefusedRow) {
    if row.kind == .unfetchedImage { return }
    let field = row.field.map(Self.withoutPosition) ?? ""
    let reason = Self.reason(of: row)
    let written = "\(row.kind.rawValue) \(field) \(reason)"
    state.withLock { state in
      if let place = state.known[written] {
        state.reasons[place].add(row)
        return
      }
      let text = ReasonText(reason)
      let key = "\(row.kind.rawValue) \(field) \(text.pattern)"
      if let place = state.places[key] {
        state.reasons[place].add(row, text)
        if state.known.count < Self.reasonLimit { state.known[written] = place }
      } else if state.reasons.count < Self.reasonLimit {
        state.places[key] = state.reasons.count
        state.reasons.append(Reason(first: row.withoutRow, text: text, field: row.field))
      } else {
        state.further += 1
      }
    }
  }

  /// The lines, the reason that came first at the beginning.
  var lines: [String] {
    state.withLock { state in
      var lines = state.reasons.prefix(Self.lineLimit).map {
        Self.line($0, state.rowName)
      }
      let rest = state.reasons.dropFirst(Self.lineLimit).reduce(state.further) { $0 + $1.count }
      if rest > 0 {
        lines.append("\(DisplayText.count(rest, "further rejection", "further rejections"))")
      }
      return lines
    }
  }

  private static func line(_ reason: Reason, _ rowName: String) -> String {
    let row = reason.first
    let id = row.id.map { " (\($0))" } ?? ""
    if reason.count == 1 {
      let field = row.field.map { " \($0)" } ?? ""
      return "\(rowName) \(row.line)\(id):\(field) \(row.reason)"
    }
    let what =
      switch row.kind {
      case .row: "\(reason.count) rows: " + (reason.field.map { "\($0) " } ?? "")
      case .image, .unfetchedImage: "\(reason.count) images: "
      case .field: "\(reason.count) times: " + (reason.field.map { "\($0) " } ?? "")
      case .entity, .omitted: "\(reason.count) entities: "
      }
    let subject = row.subject.map { " \($0)" } ?? ""
    let example = reason.text.example.map { ": \($0)" } ?? ""
    return
      "\(what)\(reason.text.common); for example \(rowName) \(row.line)\(id)\(subject)\(example)"
  }

  /// Returns the name of a field without a position: `images` for `images[3]`.
  private static func withoutPosition(_ field: String) -> String {
    String(field.prefix { $0 != "[" })
  }

  /// Returns the reason without the name of the image.
  private static func reason(of row: RefusedRow) -> String {
    guard let subject = row.subject, row.reason.hasPrefix(subject + ": ") else { return row.reason }
    return String(row.reason.dropFirst(subject.count + 2))
  }

  /// The text of the reasons of a group. They differ in quoted parts and numbers only, but not in the status
  /// codes of servers.
  private struct ReasonText {
    /// The characters that all reasons of the group have.
    private let characters: [Character]
    /// The quoted part or the number before each of the characters, and at the end; most are empty.
    private let parts: [String]
    /// True for the parts that are others in further reasons.
    private var isVaried: [Bool]

    init(_ reason: String) {
      var characters: [Character] = []
      var parts = [""]
      var isQuoted = false
      var isStatus = false
      for character in reason {
        isStatus =
          character.isNumber && (isStatus || characters.suffix(7).elementsEqual("status "))
        if character == "'" {
          isQuoted.toggle()
        } else if isQuoted || character.isNumber && !isStatus {
          parts[parts.count - 1].append(character)
          continue
        }
        characters.append(character)
        parts.append("")
      }
      (self.characters, self.parts) = (characters, parts)
      isVaried = Array(repeating: false, count: parts.count)
    }

    /// The text that the reasons of a group have in common.
    var pattern: String { "\(characters.count) " + String(characters) }

    /// Takes the parts in which a further reason with the same pattern differs.
    mutating func join(_ other: ReasonText) {
      for index in parts.indices where parts[index] != other.parts[index] { isVaried[index] = true }
    }

    /// The text that holds for all reasons of the group, with an ellipsis for what differs.
    var common: String {
      var text = ""
      for index in parts.indices {
        if !isVaried[index] {
          text += parts[index]
        } else if text.hasSuffix("….") || text.hasSuffix("…,") {
          // The parts of a number are one ellipsis.
          text.removeLast()
        } else {
          text += "…"
        }
        if index < characters.count { text.append(characters[index]) }
      }
      return text
    }

    /// The beginning of the first reason, up to the end of the last clause that is another one in further
    /// reasons, or `nil` if all are the same.
    var example: String? {
      guard let last = isVaried.lastIndex(of: true) else { return nil }
      var text = ""
      for index in parts.indices {
        text += parts[index]
        guard index < characters.count, index < last || characters[index] != ";" else { break }
        text.append(characters[index])
      }
      return text
    }
  }
}
