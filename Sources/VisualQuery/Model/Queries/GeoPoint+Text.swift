extension GeoPoint {
  /// Reads latitude and longitude in degrees with a comma between them, such as `53.54,9.99`.
  ///
  /// Returns `nil` if `text` is not two numbers in range.
  package init?(text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    try? self.init(checkingLatitude: latitude, longitude: longitude)
  }
}
