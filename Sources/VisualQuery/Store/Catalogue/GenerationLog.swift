#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The times of the last generations, each with the last key of an entity and the last number of a change that it had. Keys
/// and numbers only grow, so that they tell in which generation an entity came, and in which it was changed last.
///
/// A log of fixed size is enough, whatever the catalogue: of the older half, every second line is dropped when it is full, and
/// what is known of these generations becomes a range.
package struct GenerationLog: Hashable {
  /// The name of the setting that has it.
  static let name = ShopSettings.historyPrefix + "generations"
  /// The most lines.
  static let limit = 128

  /// The end of a generation.
  struct Line: Hashable {
    let generation: Int
    /// Seconds since 1970.
    let seconds: Int
    let lastKey: Int
    let lastChange: Int
    /// A random number, which the generation of this number in another history does not have: after a backup was restored,
    /// numbers come again. 0 for generations of earlier versions.
    var seal = 0
  }

  private(set) var lines: [Line] = []

  init() {}

  /// Reads a stored log. One that cannot be read is empty: it only tells about the past.
  init(stored text: String?) {
    guard let text, case .array(let stored)? = try? JSONValue(stored: text) else { return }
    for case .array(let values) in stored {
      let numbers = values.compactMap {
        if case .integer(let number) = $0 { Int(number) } else { nil }
      }
      guard numbers.count == 4 || numbers.count == 5 else { return }
      append(
        Line(
          generation: numbers[0], seconds: numbers[1], lastKey: numbers[2], lastChange: numbers[3],
          seal: numbers.count == 5 ? numbers[4] : 0))
    }
  }

  /// The text to store.
  var text: String {
    JSONValue.array(
      lines.map { line in
        .array(
          [line.generation, line.seconds, line.lastKey, line.lastChange, line.seal].map {
            .integer(Int64($0))
          })
      }
    ).text
  }

  /// Adds the newest generation. Lines that it contradicts, as after a rollback, are dropped.
  mutating func append(_ line: Line) {
    lines.removeAll {
      $0.generation >= line.generation || $0.lastKey > line.lastKey
        || $0.lastChange > line.lastChange
    }
    lines.append(line)
    guard lines.count > Self.limit else { return }
    let half = Self.limit / 2
    lines =
      lines.prefix(half).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      + lines.dropFirst(half)
  }

  /// The seal of a generation, or `nil` if it is not known any more.
  package func seal(of generation: Int) -> Int? {
    lines.last { $0.generation == generation }?.seal
  }

  /// Returns the generations in which something may have been added: the first line that includes it, and what the
  /// line before leaves open.
  func event(_ isIn: (Line) -> Bool) -> EntityHistory.Event? {
    guard let index = lines.firstIndex(where: isIn) else { return nil }
    let line = lines[index]
    let before = index > 0 ? lines[index - 1].generation : 0
    return EntityHistory.Event(
      firstGeneration: before + 1, generation: line.generation,
      date: Date(timeIntervalSince1970: Double(line.seconds)))
  }
}

/// The past of a catalogue: its last generations, and what they say about an entity.
package struct GenerationHistory {
  let connection: CatalogueConnection

  private var settings: SettingsTable { SettingsTable(connection: connection) }
  private var state: StateTable { StateTable(connection: connection) }

  /// Adds the generation that is about to be published to the log.
  func note() throws(CatalogueError) {
    var log = try log()
    let last = try SequenceTable(connection: connection).last()
    log.append(
      GenerationLog.Line(
        generation: try state.current().generation, seconds: Int(Date().timeIntervalSince1970),
        lastKey: last.key, lastChange: last.sequence,
        seal: Int.random(in: 1...Int(UInt32.max))))
    try settings.set(GenerationLog.name, to: log.text)
  }

  /// Returns the log of past generations.
  func log() throws(CatalogueError) -> GenerationLog {
    GenerationLog(stored: try settings.value(of: GenerationLog.name))
  }

  private enum Column: Int, SQLiteColumns { case key, change }

  /// Returns what is known of the past of an entity, or `nil` if there is none.
  package func entity(_ id: EntityID) throws(CatalogueError) -> EntityHistory? {
    let row = try connection.first(
      """
      SELECT key, (SELECT sequence FROM changes WHERE type = e.type AND id = e.id) AS change
      FROM entities e WHERE type = ? AND id = ?
      """, [.text(id.type.rawValue), .text(id.value)]
    ) { (key: $0.integer(Column.key), change: $0.integer(Column.change)) }
    guard let row else { return nil }
    let log = try log()
    return EntityHistory(
      generation: try state.current().generation, added: log.event { $0.lastKey >= row.key },
      changed: log.event { $0.lastChange >= row.change })
  }
}
