extension PictureRegion {
  /// Reads left, top, width and height with commas between them, such as `0.25,0.25,0.5,0.5`: fractions
  /// if no number is above 1, otherwise pixels.
  ///
  /// Returns `nil` if `text` is not four numbers that make a region.
  package init?(text: String) {
    self.init(
      numbers: text.split(separator: ",", omittingEmptySubsequences: false).map {
        // Rejects hexadecimal numbers, which `Double` would read.
        $0.contains { $0 == "x" || $0 == "X" } ? .nan : Double($0) ?? .nan
      })
  }

  /// Makes a region of left, top, width and height: fractions if no number is above 1, otherwise pixels. A number up to 2
  /// beside one that is not whole is a fraction, too: 0.1, 0.1, 1.1, 0.5 is a box that reaches beyond the image, rather than
  /// one of about a pixel.
  ///
  /// Returns `nil` unless there are four finite numbers, none negative, with a width and a height
  /// above 0.
  package init?(numbers: [Double]) {
    guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }),
      numbers[2] > 0, numbers[3] > 0
    else { return nil }
    self.init(
      x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3],
      unit: Self.areFractions(numbers) ? .fractions : .pixels)
  }
  private static func areFractions(_ numbers: [Double]) -> Bool {
    let largest = numbers.max() ?? 0
    return largest <= 1 || largest <= 2 && numbers.contains { $0 != $0.rounded() }
  }
}
