/// The tables of a catalogue, each with the statements about it. What changes several of them is in ``CatalogueDatabase``.
package struct CatalogueTables {
  let connection: CatalogueConnection

  /// The properties of entities; it remembers what was written.
  package let properties: PropertyIndex
  /// The texts of entities; it remembers what was written.
  package let text: TextIndex
  /// The notes of what a generation adds.
  package let growth: GrowthNotes

  init(_ connection: CatalogueConnection) {
    self.connection = connection
    properties = PropertyIndex(connection: connection)
    text = TextIndex(connection: connection)
    growth = GrowthNotes(connection: connection)
  }

  package var state: StateTable { StateTable(connection: connection) }
  package var entities: EntityTable { EntityTable(connection: connection) }
  package var images: ImageTable { ImageTable(connection: connection) }
  package var readings: ReadingTable { ReadingTable(connection: connection) }
  package var feeds: FeedTable { FeedTable(connection: connection) }
  package var fileReadings: FileReadingTable { FileReadingTable(connection: connection) }
  package var kept: KeptTable { KeptTable(connection: connection) }
  package var segments: SegmentList { SegmentList(connection: connection) }
  package var labels: LabelTable { LabelTable(connection: connection) }
  package var labelBridge: LabelBridgeTable { LabelBridgeTable(connection: connection) }
  package var stores: StoreTable { StoreTable(connection: connection) }
  package var changeLog: ChangeLog { ChangeLog(connection: connection) }
  package var settings: SettingsTable { SettingsTable(connection: connection) }
  package var sequences: SequenceTable { SequenceTable(connection: connection) }
  package var history: GenerationHistory { GenerationHistory(connection: connection) }

  /// An entity that is already indexed.
  package struct Existing {
    package let key: UInt32
    package let json: String
    package let images: [ImageTable.Record]
  }

  /// Returns an entity with its images, or `nil` if there is none.
  package func existing(_ id: EntityID) throws(CatalogueError) -> Existing? {
    guard let (key, json) = try entities.stored(id) else { return nil }
    return Existing(
      key: UInt32(clamping: key), json: json, images: try images.records(ofKey: key))
  }

  /// Forgets what is remembered of the contents, which have changed.
  func forgetWritten() {
    properties.forget()
    text.forget()
  }
}
