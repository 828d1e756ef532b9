import PixelMatch

/// The exact scan of embeddings beside that of colors and textures, on one thread.
enum EmbeddingBench {
  static func run(count: Int, rounds: Int = 9) throws {
    var generator = SplitMix(state: 20_261_123)
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() & 63) }
    }
    func embedding() throws -> ImageEmbedding {
      let vector = (0..<ImageEmbedding.componentLimit).map { _ in
        Float(Int64(truncatingIfNeeded: generator.next()) >> 40)
      }
      return try ImageEmbedding(model: "drawn", vector: vector)
    }
    let layout = ColorLayout(bytes: bytes(ColorLayout.byteCount))
    func signature() throws -> Signature {
      Signature(
        width: 1, height: 1, pdq: PDQHash(words: .zero), pdqQuality: 100,
        color: ColorHistogram(bins: bytes(ColorHistogram.binCount)), layout: layout,
        texture: TextureHistogram(bins: bytes(TextureHistogram.binCount)), keypoints: .empty,
        embedding: try embedding())
    }
    var segments: [LiveSegment] = []
    for start in stride(from: 0, to: count, by: 1 << 17) {
      var writer = SegmentWriter()
      for row in start..<min(start + 1 << 17, count) {
        writer.append(try signature(), key: UInt32(row))
      }
      segments.append(LiveSegment(try SignatureSegment(bytes: writer.encoded())))
    }
    let scan = FlatScan(segments)
    let query = try signature()
    var (ofEmbeddings, ofColors): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      ofEmbeddings.append(
        milliseconds { _ = scan.nearest(to: .embedding(query.embedding!), limit: 256) })
      ofColors.append(
        milliseconds { _ = scan.nearest(to: .appearance(query.color, query.texture), limit: 256) })
    }
    let (embeddings, colors) = (median(ofEmbeddings), median(ofColors))
    print(
      """
      {"images":\(count),"embeddings":\(Bench.rounded(embeddings)),"colors":\(Bench.rounded(colors)),\
      "timesColors":\(Bench.rounded(embeddings / colors)),\
      "perByteOfColors":\(Bench.rounded(embeddings / 528 / (colors / 144)))}
      """)
  }
}
