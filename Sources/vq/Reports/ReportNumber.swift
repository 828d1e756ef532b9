/// Numbers of a report.
enum ReportNumber {
  /// Returns a number with a fixed count of decimals, at most three.
  static func decimal(_ value: Double, places: Int = 2) -> String {
    let scale = [1, 10, 100, 1000][places]
    let parts = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && parts > 0 ? "−" : ""
    if places == 0 { return sign + "\(parts)" }
    let digits = "\(parts % scale)"
    return sign + "\(parts / scale)." + String(repeating: "0", count: places - digits.count)
      + digits
  }

  /// Returns a share as a percentage with one decimal.
  static func percent(_ share: Double) -> String { decimal(share * 100, places: 1) + " %" }

  /// Returns a length of a drawing.
  static func length(_ value: Double) -> String {
    let text = decimal(value, places: 1)
    return text.replacing("−", with: "-").replacing(/\.0$/, with: "")
  }
}
