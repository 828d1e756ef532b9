import Foundation
@testable import ShopIndex
@testable import ShopStore
import VisualQuery

/// Arrays of embeddings in files of NumPy: the header, and the first and last row.
enum ArrayTarget: FuzzTarget {
  static let name = "npy"
  static let byteLimit = 512

  private static let file = "array.npy"
  private static let folder: String = {
    let folder = FileManager.default.temporaryDirectory.path + "/npy-\(getpid())"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }()

  static func run(_ bytes: [UInt8]) -> Bool {
    guard (try? Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + file))) != nil,
      let opened = try? PictureFolders(PicturePlaces(root: folder)).open(file),
      let array = try? EmbeddingArray(opened)
    else { return true }
    precondition(
      array.count * array.dimensions * 2 <= bytes.count, "there are more numbers than bytes")
    for row in [-1, array.count, .max] {
      precondition((try? array.vector(at: row)) == nil, "there is a row too many")
    }
    if array.count > 0 {
      for row in [0, array.count - 1] {
        let vector = try? array.vector(at: row)
        precondition(vector?.count == array.dimensions, "a row is not whole")
      }
    }
    return true
  }

  static func seeds() -> [[UInt8]] {
    [("<f2", 2), ("<f4", 4), ("<f8", 8)].enumerated().map { number, type in
      let header = Array(
        "{'descr': '\(type.0)', 'fortran_order': False, 'shape': (3, 2), }\n".utf8)
      let length: [UInt8] = [UInt8(header.count), 0] + (number == 0 ? [] : [0, 0])
      return [0x93] + Array("NUMPY".utf8) + [UInt8(number + 1), 0] + length + header
        + (0..<6 * type.1).map { UInt8($0) }
    }
  }

  static let dictionary = utf8(
    "'descr'", "'fortran_order'", "'shape'", "True", "False", "(", ")", ",", "'<f2'", "\"",
    "9223372036854775807", "(1, 4096)", "{", "}", ": ")
}
