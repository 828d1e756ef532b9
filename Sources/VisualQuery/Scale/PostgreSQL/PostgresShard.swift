/// A server that stores a part of the posting lists and signatures: the rows of each segment whose number modulo the
/// number of shards is the number of the shard.
struct PostgresShard: Sendable, Hashable {
  /// The number of the shard, from 0.
  let number: Int
  /// Its address, or `nil` for the database that lists it. Unless it names a user, the one of the
  /// catalogue connects, so that readers and writers have their own rights there, too.
  let location: PostgresLocation?

  /// The most shards.
  static let limit = 256

  private enum Column: Int, PostgresColumns { case location }

  /// Returns the shards of a catalogue, in the order of their numbers; none if it is not made for
  /// engine mode.
  static func all(_ connection: PostgresConnection) throws(CatalogueError) -> [PostgresShard] {
    try PostgresSchema.check(connection)
    var shards: [PostgresShard] = []
    for row in try connection.run("select \(Column.list) from vq.shard order by number") {
      let location =
        row.isNull(Column.location)
        ? nil
        : try PostgresLocation(row.text(Column.location)).connecting(as: connection.location.user)
      shards.append(PostgresShard(number: shards.count, location: location))
    }
    return shards
  }

  /// Replaces the list of shards.
  static func replace(
    with shards: [PostgresShard], _ connection: PostgresConnection
  ) throws(CatalogueError) {
    try connection.run("delete from vq.shard")
    for shard in shards {
      try connection.run(
        "insert into vq.shard values($1, $2)",
        [.integer(shard.number), shard.location.map { .text($0.text) } ?? .null])
    }
  }

  /// Returns whether a row of a segment is kept by this shard.
  func has(_ row: Int, of count: Int) -> Bool { row % count == number }
}
