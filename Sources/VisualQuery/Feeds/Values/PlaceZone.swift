#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells the time zone of a place by its country, its state and its coordinates, as the data file `zones.txt` has them.
///
/// Near the border of two zones of one country, the nearest city decides, unless the state does.
enum PlaceZone {
  private struct City {
    let country: String
    let north: Double
    let east: Double
    let zone: String
  }

  private static func lines(_ head: String) -> [[String]] {
    FeedData.zones.filter { $0.head == head }.flatMap(\.lines).map {
      $0.split(separator: " ").map(String.init)
    }
  }

  private static let cities: [City] = lines("zones").compactMap { parts in
    guard parts.count == 4, let north = Double(parts[1]), let east = Double(parts[2]) else {
      return nil
    }
    return City(country: parts[0], north: north, east: east, zone: parts[3])
  }

  /// The codes of countries by their names and codes.
  private static let codes: [String: String] = {
    var codes: [String: String] = [:]
    for line in lines("countries") {
      codes[FeedData.plain(line[0])] = line[0]
      for name in line.dropFirst().joined(separator: " ").split(separator: ",") {
        codes[FeedData.plain(name)] = line[0]
      }
    }
    return codes
  }()

  /// The zones of states by country and state, such as `usne`.
  private static let states: [String: String] = {
    var zones: [String: String] = [:]
    for line in lines("states") where line.count > 2 {
      for state in line.dropFirst(2) { zones[FeedData.plain(line[1] + state)] = line[0] }
    }
    for line in lines("names of states") where line.count > 2 {
      let name = line.dropFirst(2).joined()
      zones[FeedData.plain(line[0] + name)] = zones[FeedData.plain(line[0] + line[1])]
    }
    return zones
  }()

  /// Returns the code of a country, such as `DE` for `Deutschland`, or `nil` if it is unknown.
  static func country(_ text: String?) -> String? {
    text.flatMap { codes[FeedData.plain($0)] }
  }

  /// Returns the name of a time zone, such as `Europe/Berlin`, or `nil` if the place does not tell it.
  static func zone(
    country: String?, state: String?, north: Double?, east: Double?
  ) -> String? {
    var code = self.country(country)
    if code == nil, let state, let east, (-170)...(-52) ~= east,
      states[FeedData.plain("us" + state)] != nil
    {
      code = "US"
    }
    if let code, let state, let zone = states[FeedData.plain(code + state)] { return zone }
    let own = code.map { code in cities.filter { $0.country == code } } ?? []
    if own.count == 1 { return own[0].zone }
    guard let north, let east, (-90)...90 ~= north, (-180)...180 ~= east else { return nil }
    return (own.isEmpty ? cities : own).min {
      distance($0, north, east) < distance($1, north, east)
    }?
    .zone
  }

  /// Returns the square of a distance in degrees.
  private static func distance(_ city: City, _ north: Double, _ east: Double) -> Double {
    let turn = abs(city.east - east)
    let width = min(turn, 360 - turn) * cos((city.north + north) / 2 * .pi / 180)
    let height = city.north - north
    return width * width + height * height
  }
}
