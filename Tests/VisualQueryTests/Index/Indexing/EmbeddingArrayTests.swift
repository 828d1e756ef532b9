import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// Embeddings that rows of a feed take from NumPy files.
@Suite struct EmbeddingArrayTests {
  /// The bytes of a NumPy file, as `numpy.save` writes them.
  private static func npy(
    _ rows: [[Float]], type: String = "<f2", shape: String? = nil, isFortran: Bool = false,
    version: UInt8 = 1, header: String? = nil
  ) -> [UInt8] {
    let shape = shape ?? "(\(rows.count), \(rows.first?.count ?? 0))"
    var text =
      header
      ?? "{'descr': '\(type)', 'fortran_order': \(isFortran ? "True" : "False"), 'shape': \(shape), }"
    let lengthSize = version == 1 ? 2 : 4
    while (9 + lengthSize + text.utf8.count) % 64 != 0 { text += " " }
    text += "\n"
    let length = text.utf8.count
    var bytes: [UInt8] = [0x93] + Array("NUMPY".utf8) + [version, 0]
    func append(_ bits: UInt64, _ size: Int) {
      for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * byte))) }
    }
    append(UInt64(length), lengthSize)
    bytes += Array(text.utf8)
    for number in rows.joined() {
      switch type {
      case "<f2": append(UInt64(Float16(number).bitPattern), 2)
      case "<f4": append(UInt64(number.bitPattern), 4)
      default: append(Double(number).bitPattern, 8)
      }
    }
    return bytes
  }

  /// A product with two images, whose vectors are in a file.
  private struct ShopWithArray {
    let folder: TemporaryDirectory
    let indexer: Indexer

    init() throws {
      folder = try TemporaryDirectory()
      indexer = Indexer(directory: folder.path + "/i.vq")
      _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "a.jpg")
      _ = try folder.copy(SampleShop.image("mug-blue.jpg"), to: "b.jpg")
    }

    func write(_ bytes: [UInt8], to name: String = "v.npy") throws {
      try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
    }

    func index(
      _ vectors: String = "[0,1]", file: String = #""v.npy""#
    ) async throws -> (progress: Indexer.Progress, refused: [RefusedRow]) {
      let feed = try folder.write(
        #"{"type":"product","id":"a","title":"T","images":["a.jpg","b.jpg"],"#
          + #""embeddings":{"model":"m","file":\#(file),"vectors":\#(vectors)}}"#,
        to: "feed.jsonl")
      let refused = Mutex<[RefusedRow]>([])
      let progress = try await indexer.run(
        path: feed, refused: { row in refused.withLock { $0.append(row) } })
      return (progress, refused.withLock { $0 })
    }
  }

  /// Would break if another order of bytes, version or type of number were read wrong.
  @Test(arguments: ["<f2", "<f4", "<f8"], [1, 2, 3] as [UInt8])
  func `vectors are read from an array of NumPy`(type: String, version: UInt8) async throws {
    let shop = try ShopWithArray()
    try shop.write(Self.npy([1, 2, 3].map(EmbeddingTests.vector), type: type, version: version))
    let (progress, refused) = try await shop.index("[2,0]")
    #expect(refused == [] && progress.embeddings == 2)
    #expect(
      try EmbeddingTests.stored(shop.indexer.directory)
        == [
          "a 0": try EmbeddingTests.embedding(EmbeddingTests.vector(3)),
          "a 1": try EmbeddingTests.embedding(EmbeddingTests.vector(1)),
        ])
    _ = try await shop.index("[2,null]")
    #expect(
      try EmbeddingTests.stored(shop.indexer.directory) == [
        "a 0": try EmbeddingTests.embedding(EmbeddingTests.vector(3))
      ])
  }

  /// Would break if a row that is the same as before were skipped although its file has other vectors.
  @Test func `a file that changes is read again`() async throws {
    let shop = try ShopWithArray()
    try shop.write(Self.npy([1, 2].map(EmbeddingTests.vector)))
    #expect(try await shop.index().progress.added == 1)
    let again = try await shop.index().progress
    #expect(again.changed == 0 && again.signedImages == 0)
    try shop.write(Self.npy([1, 3].map(EmbeddingTests.vector)))
    let changed = try await shop.index().progress
    #expect(changed.changed == 1 && changed.signedImages == 0)
    #expect(
      try EmbeddingTests.stored(shop.indexer.directory)
        == [
          "a 0": try EmbeddingTests.embedding(EmbeddingTests.vector(1)),
          "a 1": try EmbeddingTests.embedding(EmbeddingTests.vector(3)),
        ])
  }

  /// Would break if two files whose names differ in bytes only, as of an accent, were taken for one.
  @Test func `names of files are bytes`() async throws {
    let shop = try ShopWithArray()
    for (vector, name) in [(1 as UInt64, "\u{E9}.npy"), (2, "e\u{301}.npy")] {
      try shop.write(Self.npy([EmbeddingTests.vector(vector)]), to: name)
    }
    let rows = [("a", "\u{E9}.npy"), ("b", "e\u{301}.npy")].map { id, file in
      #"{"type":"product","id":"\#(id)","title":"T","images":["\#(id).jpg"],"#
        + #""embeddings":{"model":"m","file":"\#(file)","vectors":[0]}}"#
    }
    let feed = try shop.folder.write(rows.joined(separator: "\n"), to: "two.jsonl")
    _ = try await shop.indexer.run(path: feed)
    #expect(
      try EmbeddingTests.stored(shop.indexer.directory)
        == [
          "a 0": try EmbeddingTests.embedding(EmbeddingTests.vector(1)),
          "b 0": try EmbeddingTests.embedding(EmbeddingTests.vector(2)),
        ])
  }

  /// Would break if a header were trusted, or a fault were reported without the way to fix it.
  @Test(
    arguments: [
      ([], "is not a NumPy .npy file"),
      (Array("PK\u{3}\u{4} a zip file".utf8), "is not a NumPy .npy file"),
      (npy([EmbeddingTests.vector(1)], version: 9), "has version 9"),
      (npy([EmbeddingTests.vector(1)], type: "<i4"), "has numbers of the type '<i4'"),
      (npy([EmbeddingTests.vector(1)], type: ">f4"), "has numbers of the type '>f4'"),
      (
        npy([EmbeddingTests.vector(1), EmbeddingTests.vector(2)], isFortran: true),
        "has its columns one after the other"
      ),
      (npy([EmbeddingTests.vector(1)], shape: "(40,)"), "has 1 dimensions"),
      (npy([EmbeddingTests.vector(1)], shape: "(1, 40, 1)"), "has 3 dimensions"),
      (npy([EmbeddingTests.vector(1)], shape: "(40, 1)"), "has rows of 1 numbers"),
      (
        npy([EmbeddingTests.vector(1)], shape: "(1, 9223372036854775807)"),
        "has rows of 9223372036854775807"
      ),
      (
        npy([EmbeddingTests.vector(1)], shape: "(9223372036854775807, 40)"),
        "is cut off: it has 1 of"
      ),
      (
        npy([EmbeddingTests.vector(1)], shape: "(1, 99999999999999999999)"),
        "has a header that cannot be read"
      ),
      (
        npy(
          [EmbeddingTests.vector(1)],
          header: "{'descr': [('x', '<f2')], 'fortran_order': False, 'shape': (1,)}"),
        "has a header that cannot be read"
      ),
      (
        npy([EmbeddingTests.vector(1)], header: "{'descr': '<f2', 'fortran_order': False"),
        "has a header that"
      ),
      (npy([EmbeddingTests.vector(1)], header: "{'descr: "), "has a header that cannot be read"),
      (Array(npy([EmbeddingTests.vector(1)]).prefix(100)), "is not a NumPy .npy file"),
      (npy([EmbeddingTests.vector(1)]), "has no row 1; it has 1"),
      (
        npy([EmbeddingTests.vector(1), [Float](repeating: 0, count: 40)]),
        "a vector has finite numbers"
      ),
      (
        npy([EmbeddingTests.vector(1), [.infinity] + EmbeddingTests.vector(2).dropFirst()]),
        "a vector has finite numbers"
      ),
    ] as [([UInt8], String)])
  func `an array that cannot be read is told, and the image is indexed without`(
    bytes: [UInt8], reason: String
  ) async throws {
    let shop = try ShopWithArray()
    try shop.write(bytes)
    let (progress, refused) = try await shop.index()
    #expect(progress.signedImages == 2 && refused.count == 1)
    #expect(refused.first?.reason.contains(reason) == true, "\(refused)")
  }

  /// Would break if a row could name any file of the machine, or a folder.
  @Test(arguments: [
    ("1", "[0,1]", "embeddings.file"), (#""missing.npy""#, "[0,1]", "embeddings.file"),
    (#""/etc/passwd""#, "[0,1]", "embeddings.file"), (#""../v.npy""#, "[0,1]", "embeddings.file"),
    (#""i.vq""#, "[0,1]", "embeddings.file"), (#""v.npy""#, "[0,-1]", "embeddings.file"),
    (#""v.npy""#, "[0]", "embeddings.vectors"),
    (#""v.npy""#, "[0,0.5]", "embeddings.vectors[1]"),
    (#""v.npy""#, #"[0,"ADwAPA"]"#, "embeddings.vectors[1]"),
    ("null", "[0,null]", "embeddings.vectors[0]"),
  ])
  func `a row that names no array is told`(
    file: String, vectors: String, field: String
  ) async throws {
    let shop = try ShopWithArray()
    try shop.write(Self.npy([1, 2].map(EmbeddingTests.vector)))
    let (progress, refused) = try await shop.index(vectors, file: file)
    #expect(progress.signedImages == 2 && refused.map(\.field) == [field], "\(refused)")
  }

  /// Would break if only the first files of a feed could be read.
  @Test func `a feed may name many files`() async throws {
    let shop = try ShopWithArray()
    var rows: [String] = []
    for number in 0..<50 {
      try shop.write(Self.npy([EmbeddingTests.vector(UInt64(number))]), to: "\(number).npy")
      rows.append(
        #"{"type":"product","id":"p\#(number)","title":"T","images":["a.jpg"],"#
          + #""embeddings":{"model":"m","file":"\#(number).npy","vectors":[0]}}"#)
    }
    let feed = try shop.folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let progress = try await shop.indexer.run(path: feed)
    #expect(progress.embeddings == 50 && progress.warnings == 0)
    let stored = try EmbeddingTests.stored(shop.indexer.directory)
    #expect(try stored["p7 0"] == EmbeddingTests.embedding(EmbeddingTests.vector(7)))
  }
}
