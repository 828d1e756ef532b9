/// The tables, each with the statements about it. `CatalogueDatabase` itself has what concerns several of them.
extension CatalogueDatabase {
  package var entities: EntityTable { EntityTable(connection: connection) }
  package var images: ImageTable { ImageTable(connection: connection) }
  package var segments: SegmentList { SegmentList(connection: connection) }
  package var labels: LabelTable { LabelTable(connection: connection) }
  package var labelBridge: LabelBridgeTable { LabelBridgeTable(connection: connection) }
  package var stores: StoreTable { StoreTable(connection: connection) }
  package var changeLog: ChangeLog { ChangeLog(connection: connection) }
  package var settings: SettingsTable { SettingsTable(connection: connection) }
  package var sequences: SequenceTable { SequenceTable(connection: connection) }
}

extension CatalogueDatabase {
  private enum StateColumn: Int, SQLiteColumns {
    case generation, productCount, storeCount, imageCount, identity, secret
  }

  package func state() throws(CatalogueError) -> State {
    let state = try connection.first("SELECT \(StateColumn.list) FROM state") { row in
      State(
        generation: row.integer(StateColumn.generation),
        productCount: row.integer(StateColumn.productCount),
        storeCount: row.integer(StateColumn.storeCount),
        imageCount: row.integer(StateColumn.imageCount), identity: row.text(StateColumn.identity),
        secret: row.text(StateColumn.secret))
    }
    guard let state else { throw Self.missingState }
    return state
  }

  /// Reads the JSON form of a stored entity, or returns `nil` if it is damaged. Lists omit such an
  /// entity, and `CatalogueUpkeep.verify()` and ``CatalogueDoctor`` report it.
  package static func readableEntity(_ text: String) -> EntityValue? { try? entity(text) }

  /// Reads the JSON form of a stored entity.
  package static func entity(_ text: String) throws(CatalogueError) -> EntityValue {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(stored: text)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message: "an entity \(error.message); \(CatalogueError.remedy)")
    }
    do throws(FieldError) {
      return try EntityValue(json: json)
    } catch {
      throw CatalogueError(
        code: .corrupt,
        message:
          "an entity's \(error.field ?? "row") \(error.reason); \(CatalogueError.remedy)"
      )
    }
  }
}
