import Testing
@testable import ShopModel
import VisualQuery

@Suite struct DisplayTests {
  private func entity(_ json: String) throws -> EntityValue {
    try EntityValue(json: JSONValue(json: Array(json.utf8)))
  }

  private static let mug = #"""
    {"type":"product","id":"m","title":"Mug","subtitle":"Red","synonyms":["cup"],"brand":"North",
     "price":{"amount":"14.90","currency":"EUR"},"labels":["mug","cup"],"images":["a.jpg"],
     "localized":{"de":{"title":"Becher","synonyms":["Tasse"]},"de-CH":{"subtitle":"Rot"},
     "zh-Hant":{"title":"杯"}},"size":{"ml":350},"washable":true,"featured":true}
    """#

  @Test(
    arguments: [
      (nil, "Mug", "Red", ["cup"]), ("en", "Mug", "Red", ["cup"]),
      ("de", "Becher", "Red", ["Tasse"]),
      ("de-AT", "Becher", "Red", ["Tasse"]), ("DE_de", "Becher", "Red", ["Tasse"]),
      ("de-CH", "Mug", "Rot", ["cup"]), ("zh-Hant-TW", "杯", "Red", ["cup"]),
      ("zh-Hans", "Mug", "Red", ["cup"]), ("", "Mug", "Red", ["cup"]),
    ] as [(String?, String, String?, [String])])
  func `texts are in the language that comes nearest`(
    locale: String?, title: String, subtitle: String?, synonyms: [String]
  ) throws {
    let display = try entity(Self.mug).displayRepresentation(for: locale)
    #expect(display.title == title)
    #expect(display.subtitle == subtitle)
    #expect(display.synonyms == synonyms)
    #expect(display.image == "a.jpg")
  }

  @Test func `the flat form has texts only, and every property`() throws {
    let flat = try entity(Self.mug).flatJSON(for: "de")
    #expect(
      flat
        == #"{"brand":"North","id":"m","labels":"mug, cup","price":"14.90 EUR","size":"{\"ml\":350}","subtitle":"Red","synonyms":"cup","title":"Becher","type":"product","washable":"true"}"#
    )
  }

  @Test func `what was read is written as it was`() throws {
    let value = try entity(Self.mug)
    #expect(try EntityValue(json: value.json) == value)
    let store = try entity(
      #"{"type":"store","id":"s","title":"S","openingHours":["Mo 09:00-10:00"],"timeZone":"UTC"}"#)
    #expect(try EntityValue(json: store.json) == store)
    #expect(store.json.text.contains(#""openingHours":["Mo 09:00-10:00"]"#))
  }

  @Test(arguments: [
    #"{"type":"product","id":"m","title":"T","localized":{"not a tag":{}}}"#,
    #"{"type":"product","id":"m","title":"T","localized":[]}"#,
    #"{"type":"product","id":"m","title":"T","featured":"yes"}"#,
    #"{"type":"store","id":"m","title":"T","openingHours":["Mo 09:00-10:00"]}"#,
  ])
  func `fields of the wrong kind are refused`(json: String) {
    #expect(throws: FieldError.self) { _ = try entity(json) }
  }

  @Test(arguments: [
    (#""localized":{"de":{"title":7}}"#, "localized.de.title"),
    (#""localized":{"pt-BR":{"synonyms":["a",{}]}}"#, "localized.pt-BR.synonyms"),
    (#""localized":{"de":"Becher"}"#, "localized.de"),
  ])
  func `a field within a field is named by its path`(fields: String, path: String) throws {
    let error = #expect(throws: FieldError.self) {
      try entity(#"{"type":"product","id":"m","title":"T",\#(fields)}"#)
    }
    #expect(error?.field == path)
  }

  /// A degree of a great circle is 60.04 nautical miles on a sphere of the mean radius.
  @Test(
    arguments: [
      (GeoPoint(latitude: 0, longitude: 0), GeoPoint(latitude: 90, longitude: 0), 10_007_557.0),
      (GeoPoint(latitude: 0, longitude: 0), GeoPoint(latitude: 0, longitude: 180), 20_015_115),
      (
        GeoPoint(latitude: 10, longitude: 179.5), GeoPoint(latitude: 10, longitude: -179.5), 109_505
      ),
      (GeoPoint(latitude: 60, longitude: 5), GeoPoint(latitude: 60, longitude: 5), 0),
      (GeoPoint(latitude: -45, longitude: 7), GeoPoint(latitude: -44, longitude: 7), 111_195),
    ] as [(GeoPoint, GeoPoint, Double)])
  func `distances are those on great circles`(from: GeoPoint, to: GeoPoint, meters: Double) {
    #expect(abs(from.distanceMeters(to: to) - meters) <= 5)
    #expect(abs(to.distanceMeters(to: from) - meters) <= 5)
  }
}
