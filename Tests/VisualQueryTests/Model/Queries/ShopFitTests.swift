import Testing

import ShopModel
import VisualQuery

/// The numbers that a shop's photos taught, and their history.
@Suite struct ShopFitTests {
  private static func fit(_ prior: Double) -> ShopFit {
    ShopFit(
      [.prior: prior, .vector: 0.5], calibration: "c", vectors: "m", photos: 120, products: 30)
  }

  @Test func `a fit that is stored is read again, by the names of its numbers`() throws {
    let fits = ShopFits([Self.fit(-1), Self.fit(0.25)])
    let text = fits.json.text
    #expect(text.contains(#""prior":0.25"#) && text.contains(#""temperature":1"#))
    #expect(try ShopFits(json: JSONValue(stored: text)) == fits)
    #expect(fits.current?[.prior] == 0.25 && fits.current?[.labels] == 1)
  }

  @Test func `the time of a fit is stored as a date, and is nothing for one without`() throws {
    var fit = Self.fit(-1)
    #expect(fit.date == nil && !fit.json.text.contains("date"))
    fit.time = 1_764_386_100
    #expect(fit.date == "2025-11-29T03:15:00Z")
    #expect(try ShopFit(json: JSONValue(stored: fit.json.text)) == fit)
    let unread = fit.json.text.replacing("2025-11-29T03:15:00Z", with: "yesterday")
    #expect(try ShopFit(json: JSONValue(stored: unread)) == Self.fit(-1))
  }

  @Test func `an undone fit gives way to the one before, and the oldest are forgotten`() {
    var fits = ShopFits()
    #expect(fits.undone == fits && fits.current == nil)
    for number in 0..<12 { fits = fits.adding(Self.fit(Double(number) / 10)) }
    #expect(fits.all.count == ShopFits.limit && fits.all[0][.prior] == 0.2)
    #expect(fits.undone.current?[.prior] == 1)
  }

  /// Would break if a factor below zero made more evidence less sure, or an export brought one.
  @Test func `numbers out of their range are refused when read, and bounded when made`() throws {
    let fit = ShopFit(
      [.temperature: -3, .prior: 99], calibration: "c", vectors: nil, photos: 0, products: 0)
    #expect(fit[.temperature] == 0.1 && fit[.prior] == 8)
    for wrong in [
      #"{"fits":[{"calibration":"c","coefficients":{"temperature":0}}]}"#,
      #"{"fits":[{"calibration":"c","coefficients":{"prior":"1"}}]}"#,
      #"{"fits":[{"calibration":"c"}]}"#, #"{"fits":[{"coefficients":{}}]}"#, #"{"fits":[1]}"#,
      "{}", "[]",
    ] {
      #expect(throws: FieldError.self, "\(wrong)") {
        try ShopFits(json: JSONValue(stored: wrong))
      }
    }
  }
}
