import VisualQueryClient

/// A shop of 1 200 products, six of them with images, and two stores.
enum SampleShop {
  static let productCount = 1200

  static var rows: [Row] {
    var rows = (0..<productCount).map { number in
      Row(
        id: "p\(number)", title: "Thing \(number)", labels: number < 24 ? ["lamp"] : ["thing"],
        brand: ["Aster", "Birch", "Cedar"][number % 3],
        price: number % 5 == 0 ? nil : Price(amount: "\(number).50", currency: "EUR"))
    }
    for number in 0..<6 {
      rows[number].images = ["images/\(number).png"]
      rows[number].synonyms = ["object \(number)"]
      rows[number].localized = [
        "de": ["title": "Ding \(number)"], "fr": ["title": "Chose \(number)"],
      ]
    }
    rows[1].gtin = "4006381333931"
    rows.append(Row(type: .store, id: "north", title: "North", labels: ["store"], stock: ["p0"]))
    rows.append(Row(type: .store, id: "south, west", title: "South", labels: ["store"]))
    return rows
  }

  static var images: [String: PixelImage] {
    var images: [String: PixelImage] = [:]
    for number in 0..<6 { images["\(number).png"] = image(seed: UInt64(number)) }
    return images
  }

  /// Returns an image of colored rectangles, the same for the same seed.
  static func image(seed: UInt64, side: Int = 240) -> PixelImage {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    var bytes = [UInt8](repeating: 200, count: side * side * 3)
    for _ in 0..<70 {
      let (x, y) = (next(side - 20), next(side - 20))
      let (width, height) = (8 + next(side / 4), 8 + next(side / 4))
      let color = [UInt8(next(256)), UInt8(next(256)), UInt8(next(256))]
      for row in y..<min(side, y + height) {
        for column in x..<min(side, x + width) {
          let index = (row * side + column) * 3
          bytes[index] = color[0]
          bytes[index + 1] = color[1]
          bytes[index + 2] = color[2]
        }
      }
    }
    return PixelImage(width: side, height: side, bytes: bytes)!
  }
}
