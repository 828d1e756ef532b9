// Computes signatures of drawn images and compares them with each other, and prints a hash of each result. The lines are the same
// on every processor, or the code of PixelMatch rounds or counts differently somewhere. It is compiled with PixelMatch's own files.

/// Prints a name, the number of bytes, and their hash (FNV-1a).
func tell(_ name: String, _ bytes: [UInt8]) {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  print("\(name): \(bytes.count) bytes, \(String(hash, radix: 16))")
}

/// Prints a name and the bits of numbers.
func tell(_ name: String, _ numbers: [Double]) {
  var text = "\(name):"
  for number in numbers { text += " " + String(number.bitPattern, radix: 16) }
  print(text)
}

func image(
  _ width: Int, _ height: Int, _ format: PixelFormat, _ bytes: [UInt8],
  matrix: YCbCrMatrix = .bt601, colorSpace: RGBColorSpace = .sRGB
) -> PixelBuffer {
  guard
    let image = try? PixelBuffer(
      width: width, height: height, format: format, yCbCrMatrix: matrix, colorSpace: colorSpace,
      bytes: bytes)
  else { preconditionFailure("a drawn image has as many bytes as pixels") }
  return image
}

/// Returns an image in the middle of a white one.
func bordered(_ image: PixelBuffer, width: Int, height: Int) -> PixelBuffer {
  let pixels = SyntheticPicture.rgba(image)
  var bytes = [UInt8](repeating: 255, count: 4 * width * height)
  let (left, top) = ((width - image.width) / 2, (height - image.height) / 2)
  for y in 0..<image.height {
    for x in 0..<(4 * image.width) {
      bytes[4 * ((top + y) * width + left) + x] = pixels[4 * y * image.width + x]
    }
  }
  return SyntheticPicture.picture(bytes, width, height)
}

/// Returns the catalogue: scenes, graphics, smooth images, and a small one, which is enlarged.
func catalogue() -> [PixelBuffer] {
  var generator = SeededGenerator(seed: 7)
  var images = (0..<8).map { SyntheticPicture.scene(width: 400, height: 400, seed: 20 + $0) }
  for drawing in SyntheticPicture.Drawing.allCases {
    images.append(image(512, 512, .rgba8, SyntheticPicture.drawing(drawing, side: 512)))
  }
  for seed in 1..<4 {
    let (width, height) = (300 * seed, 640 - 150 * seed)
    let pattern = SyntheticPicture.pattern(width: width, height: height, seed: seed)
    let discs = SyntheticPicture.discs(width: width, height: height, using: &generator)
    images += [pattern, discs].map { image(width, height, .rgba8, $0) }
  }
  return images + [SyntheticPicture.scene(width: 90, height: 120, seed: 40)]
}

/// Returns what a camera gives, in each of its formats, and images of the catalogue, warped, bordered and large.
func questions(_ images: [PixelBuffer]) -> [(name: String, image: PixelBuffer)] {
  var generator = SeededGenerator(seed: 8)
  let noise = (0..<1000 * 750).map { _ in UInt8.random(in: 0...255, using: &generator) }
  let pattern = SyntheticPicture.pattern(width: 1000, height: 750, seed: 5)
  var questions: [(name: String, image: PixelBuffer)] = [
    ("video range", image(640, 480, .nv12VideoRange, noise)),
    (
      "full range",
      image(640, 480, .nv12FullRange, noise, matrix: .bt709, colorSpace: .displayP3)
    ),
    ("gray", image(1000, 750, .gray8, noise)),
    ("three bytes", image(501, 401, .rgb8, noise)),
    ("Display P3", image(1000, 750, .bgra8, pattern, colorSpace: .displayP3)),
    ("bordered", bordered(images[1], width: 900, height: 500)),
    ("large", SyntheticPicture.scene(width: 1500, height: 1100, seed: 22)),
  ]
  let maps = [
    PlaneTransform(cosine: 1, sine: 0, x: 0, y: 0),
    PlaneTransform(cosine: 0.9397, sine: 0.342, x: 80, y: -56),
    PlaneTransform(cosine: 0.5, sine: 0, x: 100, y: 100),
    PlaneTransform(matrix: [1.1, 0.08, -30, 0.02, 1.15, -20, 0.0002, 0.0004, 1]),
  ]
  for (number, map) in maps.enumerated() {
    let warped = SyntheticPicture.warped(images[number], width: 400, height: 400) { map($0, $1) }
    questions.append(("warped \(number)", warped))
  }
  return questions
}

/// Signs the catalogue, and prints the signatures and the segment of them.
func segment(of images: [PixelBuffer]) -> SignatureSegment {
  var writer = SegmentWriter()
  for (row, image) in images.enumerated() {
    let signature = Signature(image)
    tell("signature \(row)", signature.encoded)
    writer.append(signature, key: UInt32(row))
  }
  let bytes = writer.encoded()
  tell("segment", bytes)
  guard let segment = try? SignatureSegment(bytes: bytes) else {
    preconditionFailure("a segment of valid signatures is valid")
  }
  return segment
}

/// Searches for an image, and prints each step's results.
func search(for image: PixelBuffer, named name: String, in live: LiveSegment) {
  let query = QuerySignature(image)
  tell("\(name), whole", query.encoded)
  tell("\(name), compact", query.compactBytes)
  let view = query.views[0]
  let passes = [FlatScan.Query.hashes(view.variants), .appearance(view.color, view.texture)]
  for (pass, question) in passes.enumerated() {
    let found = FlatScan([live]).nearest(to: question, limit: 5).top.sorted
    tell("\(name), scan \(pass)", found.flatMap { [Double($0.row), Double($0.distance)] })
  }
  let votes = KeypointVotes(query.keypoints).rows(in: live, limit: 5)
  tell("\(name), votes", votes.flatMap { [Double($0.row), Double($0.weight)] })
  for row in Set(votes.map(\.row)).sorted() { compare(image, query, named: name, row, in: live) }
}

/// Compares an image with a row, and prints the alignment and what is measured under it.
func compare(
  _ image: PixelBuffer, _ query: QuerySignature, named name: String, _ row: Int,
  in live: LiveSegment
) {
  let (segment, rarity, view) = (live.segment, AppearanceRarity([live]), query.views[0])
  let stored = segment.appearance(at: row)
  tell(
    "\(name), likeness to \(row)",
    [rarity.similarity(view.color, stored.color), rarity.similarity(view.texture, stored.texture)])
  guard
    let alignment = GeometricCheck(query).alignment(of: row, in: segment, isMirrored: false)
  else { return }
  let map = alignment.transform
  let corners = [(0.0, 0.0), (400, 0), (0, 400), (400, 400)].map { map($0.0, $0.1) }
  tell(
    "\(name), alignment with \(row)",
    [Double(alignment.inliers), Double(alignment.visible)] + corners.flatMap { [$0.x, $0.y] })
  let (layout, size, colors) = (segment.layout(at: row), segment.size(at: row), AlignedColor(query))
  let contradiction = colors.contradiction(of: layout, size: size, under: map)
  tell(
    "\(name), colors of \(row)",
    [colors.residual(of: layout, size: size, under: map) ?? -1, contradiction])
  let patches = PatchCheck(image, query, shouldStop: { false })!
  if let found = patches.agreement(of: row, in: segment, under: map) {
    tell("\(name), patches of \(row)", [Double(found.visible), Double(found.agreeing)])
  }
  let marks = PatchCheck(query)?.agreement(of: row, in: segment, under: map)
  if let marks {
    tell("\(name), marks of \(row)", [Double(marks.visible), Double(marks.agreeing)])
  }
  if let better = PatchCheck(query)?.realigned(alignment, of: row, in: segment) {
    let map = better.transform
    let corners = [(0.0, 0.0), (400, 400)].map { map($0.0, $0.1) }
    tell(
      "\(name), marks that align \(row)",
      [Double(better.inliers)] + corners.flatMap { [$0.x, $0.y] })
  }
}

let images = catalogue()
let live = LiveSegment(segment(of: images))
for (name, image) in questions(images) { search(for: image, named: name, in: live) }
