extension QuerySignature {
  /// Returns the share of the image's area that lies in boxes, by its cells.
  package func share(within boxes: [ImageBox]) -> Double {
    let cells = ColorLayout.side * ColorLayout.side
    return Double((0..<cells).count { Self.lies($0, in: boxes) }) / Double(cells)
  }

  /// Returns the share of the image's area that lies outside boxes and shows something: all of it, or, if the
  /// background is plain, what stands out from it.
  package func contentShare(outside boxes: [ImageBox]) -> Double {
    let content = views[0].layout.parts.map { $0 != .ground }
    return Double(content.indices.count { content[$0] && !Self.lies($0, in: boxes) })
      / Double(content.count)
  }

  /// Returns whether the center of a cell of the layout lies in one of some boxes.
  private static func lies(_ cell: Int, in boxes: [ImageBox]) -> Bool {
    let side = ColorLayout.side
    let x = (Double(cell % side) + 0.5) / Double(side)
    let y = (Double(cell / side) + 0.5) / Double(side)
    return boxes.contains { $0.contains(x: x, y: y) }
  }
}
