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
    var count = 1
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
    let field = row.field.map { String($0.prefix { $0 != "[" }) } ?? ""
    let reason = Self.reason(of: row)
    let written = "\(row.kind.rawValue) \(field) \(reason)"
    state.withLock { state in
      if let place = state.known[written] {
        state.reasons[place].count += 1
        return
      }
      let key = "\(row.kind.rawValue) \(field) \(Self.pattern(reason))"
      if let place = state.places[key] {
        state.reasons[place].count += 1
        if state.known.count < Self.reasonLimit { state.known[written] = place }
      } else if state.reasons.count < Self.reasonLimit {
        state.places[key] = state.reasons.count
        state.reasons.append(Reason(first: row.withoutRow))
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
      case .row: "\(reason.count) rows: " + (row.field.map { "\($0) " } ?? "")
      case .image, .unfetchedImage: "\(reason.count) images: "
      case .field: "\(reason.count) times: " + (row.field.map { "\($0) " } ?? "")
      case .entity, .omitted: "\(reason.count) entities: "
      }
    let example = row.subject.map { " \($0)" } ?? ""
    return "\(what)\(Self.reason(of: row)); for example \(rowName) \(row.line)\(id)\(example)"
  }

  /// Returns the reason without the name of the image.
  private static func reason(of row: RefusedRow) -> String {
    guard let subject = row.subject, row.reason.hasPrefix(subject + ": ") else { return row.reason }
    return String(row.reason.dropFirst(subject.count + 2))
  }

  /// Returns a reason without its quoted parts and numbers, in which reasons of one kind differ, but with the status
  /// codes of servers.
  private static func pattern(_ reason: String) -> String {
    var pattern = ""
    var isQuoted = false
    var isStatus = false
    for character in reason {
      isStatus = character.isNumber && (isStatus || pattern.hasSuffix("status "))
      if character == "'" {
        isQuoted.toggle()
      } else if isQuoted || character.isNumber && !isStatus {
        continue
      }
      pattern.append(character)
    }
    return pattern
  }
}
