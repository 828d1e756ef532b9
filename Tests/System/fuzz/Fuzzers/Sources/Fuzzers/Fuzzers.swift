import Foundation

/// All targets.
private let targets: [any FuzzTarget.Type] = [
  RequestTarget.self, MultipartTarget.self, JPEGTarget.self, PNGTarget.self, WebPTarget.self,
  GIFTarget.self,
  HEIFTarget.self, JSONTarget.self,
  CSVTarget.self, XMLTarget.self, HTMLTarget.self, CostTarget.self, TokenTarget.self,
  SegmentTarget.self,
  ShardTarget.self, ArrayTarget.self, TextTarget.self,
]

/// The target that the program is called by: `request` for a link of that name.
private let target: (any FuzzTarget.Type)? = {
  let path = CommandLine.arguments[0]
  return targets.first { $0.name == path.split(separator: "/").last.map(String.init) }
}()

/// Handles the words that are not libFuzzer's: `list` prints the targets, `seeds FOLDER` writes the
/// corpus and the dictionary of each.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
  let words = CommandLine.arguments.dropFirst()
  if words.first == "list" {
    for target in targets { print(target.name, target.byteLimit) }
    exit(0)
  }
  if words.first == "seeds", let folder = words.dropFirst().first {
    do {
      for target in targets { try writeSeeds(of: target, in: URL(fileURLWithPath: folder)) }
      exit(0)
    } catch {
      fail("cannot write the seeds: \(error)")
    }
  }
  if target == nil {
    fail(
      "call this by the name of a target (\(targets.map { $0.name }.joined(separator: ", "))), "
        + "or with 'list' or 'seeds FOLDER'")
  }
  return 0
}

/// Runs the target with one input.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Sound: libFuzzer lends `count` bytes until the call returns.
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  // -1 keeps an input out of the corpus.
  return target!.run(bytes) ? 0 : -1
}

private func writeSeeds(of target: any FuzzTarget.Type, in folder: URL) throws {
  let corpus = folder.appendingPathComponent(target.name)
  try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
  for (number, seed) in target.seeds().enumerated() {
    try Data(seed).write(to: corpus.appendingPathComponent("seed-\(number)"))
  }
  let words = target.dictionary.map { "\"\(escaped($0))\"\n" }.joined()
  try Data(words.utf8).write(to: folder.appendingPathComponent("\(target.name).dict"))
}

/// A word as dictionaries of libFuzzer have it.
private func escaped(_ word: [UInt8]) -> String {
  word.map { byte in
    let isPlain = (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != 0x5C
    return isPlain
      ? String(UnicodeScalar(byte))
      : "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
  }.joined()
}

private func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\(message)\n".utf8))
  exit(2)
}
