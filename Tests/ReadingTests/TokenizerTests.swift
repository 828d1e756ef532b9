import Foundation
import TestSupport
import Testing

@testable import Reading

/// The numbers that Hugging Face's tokenizers 0.23.3 give for the same files and texts
/// (`tokenizers.Tokenizer.from_str(json).encode(text).ids`).
@Suite struct TokenizerTests {
  private func tokens(_ file: SmallTokenizer, _ text: String, limit: Int = .max) throws -> [Int32] {
    try Tokenizer(file.bytes()).tokens(of: text, limit: limit)
  }

  /// Would break if words were split, normalized or merged in another way than the model has learnt.
  @Test(
    arguments: [
      ("green mug", [582, 516, 518, 583]),
      ("a photo of a GREEN  mug", [582, 353, 578, 577, 353, 516, 518, 583]),
      ("Camp-mug, 350 ml!", [582, 560, 301, 518, 300, 307, 309, 304, 109, 364, 289, 583]),
      (
        "it's the shoes' size 42",
        [582, 105, 372, 39, 371, 116, 568, 543, 295, 115, 105, 122, 357, 308, 306, 583]
      ),
      ("caf\u{E9}", [582, 99, 97, 102, 195, 425, 583]),
      (
        "cafe\u{301} \u{1E69} A\u{30A}", [582, 99, 97, 102, 195, 425, 225, 185, 425, 195, 421, 583]
      ),
      (
        "\u{C6}\u{D8}\u{C5} Stra\u{DF}e \u{394}\u{3A3}",
        [
          582, 195, 166, 195, 184, 195, 421, 115, 116, 114, 97, 195, 159, 357, 206, 180, 207, 387,
          583,
        ]
      ),
      (
        "\u{7D05}\u{8336} \u{30C6}\u{30A3}\u{30FC}",
        [582, 231, 180, 133, 232, 140, 438, 227, 131, 134, 227, 130, 163, 227, 131, 444, 583]
      ),
      ("\u{9} lamp\u{A}\u{A}lamp ", [582, 522, 522, 583]),
      ("", [582, 583]),
      ("  ", [582, 583]),
      ("mug<|endoftext|>lamp", [582, 518, 583, 522, 583]),
      ("\u{1F642}\u{1F642} mug", [582, 240, 159, 153, 130, 240, 159, 153, 386, 518, 583]),
      ("x\u{B2}\u{BD} \u{2177}", [582, 376, 194, 434, 194, 445, 226, 133, 439, 583]),
      ("\u{130}stanbul", [582, 361, 204, 391, 115, 116, 523, 98, 117, 364, 583]),
      (
        "don't we'll I'd they've",
        [
          582, 100, 111, 366, 39, 372, 119, 357, 39, 108, 364, 361, 39, 356, 116, 104, 101, 377, 39,
          118, 357, 583,
        ]
      ),
      ("...!?--", [582, 46, 46, 46, 33, 63, 45, 301, 583]),
      ("q\u{323}\u{307} \u{212B}", [582, 369, 204, 163, 204, 391, 195, 421, 583]),
      ("mug\u{A0}lamp\u{3000}bag", [582, 518, 522, 557, 583]),
    ] as [(String, [Int32])])
  func `words of the kind of CLIP`(text: String, expected: [Int32]) throws {
    #expect(try tokens(.clip, text) == expected)
  }

  @Test(
    arguments: [
      ("green mug", [265, 266, 317]),
      (
        "a photo of a GREEN  mug",
        [296, 32, 112, 104, 264, 111, 32, 111, 102, 296, 32, 71, 82, 69, 69, 78, 32, 266, 317]
      ),
      ("Camp-mug, 350 ml!", [32, 67, 267, 45, 263, 44, 32, 51, 53, 48, 32, 109, 108, 33, 317]),
      (
        "it's the shoes' size 42",
        [32, 105, 116, 39, 115, 269, 104, 101, 300, 39, 268, 105, 122, 101, 32, 52, 50, 317]
      ),
      ("caf\u{E9}", [297, 97, 102, 195, 169, 317]),
      (
        "cafe\u{301} \u{1E69} A\u{30A}",
        [297, 97, 102, 101, 204, 129, 32, 225, 185, 169, 32, 65, 204, 138, 317]
      ),
      (
        "\u{C6}\u{D8}\u{C5} Stra\u{DF}e \u{394}\u{3A3}",
        [
          32, 195, 134, 195, 152, 195, 133, 32, 83, 116, 114, 97, 195, 159, 101, 32, 206, 148, 206,
          163, 317,
        ]
      ),
      (
        "\u{7D05}\u{8336} \u{30C6}\u{30A3}\u{30FC}",
        [32, 231, 180, 133, 232, 140, 182, 32, 227, 131, 134, 227, 130, 163, 227, 131, 188, 317]
      ),
      ("\u{9} lamp\u{A}\u{A}lamp ", [32, 9, 272, 10, 10, 271, 32, 317]),
      ("", [317]),
      ("  ", [32, 32, 317]),
      ("mug<|endoftext|>lamp", [266, 317, 272, 317]),
      ("\u{1F642}\u{1F642} mug", [32, 240, 159, 153, 130, 240, 159, 153, 130, 266, 317]),
      ("x\u{B2}\u{BD} \u{2177}", [32, 120, 194, 178, 194, 189, 32, 226, 133, 183, 317]),
      ("\u{130}stanbul", [32, 196, 176, 115, 116, 273, 98, 117, 108, 317]),
      (
        "don't we'll I'd they've",
        [
          32, 100, 111, 110, 39, 116, 279, 101, 39, 108, 108, 32, 73, 39, 100, 269, 104, 101, 121,
          39, 118, 101, 317,
        ]
      ),
      ("...!?--", [32, 46, 46, 46, 33, 63, 45, 45, 317]),
      ("q\u{323}\u{307} \u{212B}", [32, 113, 204, 163, 204, 135, 32, 226, 132, 171, 317]),
      ("mug\u{A0}lamp\u{3000}bag", [266, 194, 160, 271, 227, 128, 128, 98, 304, 317]),
    ] as [(String, [Int32])])
  func `words with their spaces`(text: String, expected: [Int32]) throws {
    #expect(try tokens(.spaced, text) == expected)
  }

  /// Would break if a long text lost the mark of its end, by which a model knows where to look.
  @Test func `a text that is too long is cut before the mark of its end`() throws {
    let whole = try tokens(.clip, "a photo of a green mug")
    #expect(try tokens(.clip, "a photo of a green mug", limit: 5) == whole.prefix(4) + [583])
    let long = try tokens(.clip, String(repeating: "mug ", count: 100_000), limit: 77)
    #expect(long.count == 77 && long.last == 583)
  }

  @Test func `added tokens may take the space beside them`() throws {
    let added: [String: Any] = [
      "id": 600, "content": "<m>", "lstrip": true, "rstrip": true, "normalized": false,
      "single_word": false,
    ]
    let file = try Tokenizer(
      SmallTokenizer.spaced.bytes(with: ["added_tokens": [added], "post_processor": NSNull()]))
    #expect(
      file.tokens(of: "mug <m> lamp") == file.tokens(of: "mug") + [600] + file.tokens(of: "lamp"))
    #expect(file.largestToken == 600)
  }

  @Test(
    arguments: [
      (#"{"model":{"type":"Unigram","vocab":[["a",-1.5]]}}"#, "'Unigram'; only byte-pair encoding"),
      (#"{"model":{"type":"WordPiece","vocab":{"a":1}}}"#, "'WordPiece'"),
      (#"{"model":{"type":"BPE","vocab":{},"merges":[]}}"#, "no vocabulary"),
      (#"{"model":{"type":"BPE","vocab":{"a":1},"merges":["a b"]}}"#, "the merge 'a b'"),
      (#"{"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}}"#, "the token -1"),
      (#"{"model":{"type":"BPE","vocab":{"a":1},"byte_fallback":true}}"#, "byte_fallback"),
      (#"{"pre_tokenizer":{"type":"Metaspace"}}"#, "'Metaspace'"),
      (#"{"pre_tokenizer":null}"#, "no 'ByteLevel'"),
      (#"{"normalizer":{"type":"NFKC"}}"#, "'NFKC'"),
      (
        #"{"normalizer":{"type":"Replace","pattern":{"Regex":"(a+)+b"},"content":""}}"#,
        "'(a+)+b'"
      ),
      (
        #"{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?i:a)"},"behavior":"Isolated"}}"#,
        "'(?i:a)'"
      ),
      (#"{"post_processor":{"type":"Other"}}"#, "'Other'"),
    ])
  func `other tokenizers are told by name`(other: String, reason: String) throws {
    let values = try JSONSerialization.jsonObject(with: Data(other.utf8)) as? [String: Any]
    let file = try SmallTokenizer.clip.bytes(with: try #require(values))
    let error = #expect(throws: ReadingError.self) { try Tokenizer(file) }
    let message = error?.message ?? ""
    #expect(error?.code == .otherShape && message.contains(reason), "\(message)")
  }

  /// Would end the process if each step might make a text a hundred times as long: eight of them make 10^16 letters of one.
  @Test func `steps that multiply a text end`() throws {
    let step: [String: Any] = [
      "type": "Replace", "pattern": ["String": "a"], "content": String(repeating: "a", count: 100),
    ]
    let steps: [String: Any] = [
      "type": "Sequence", "normalizers": [[String: Any]](repeating: step, count: 8),
    ]
    let file = try SmallTokenizer.spaced.bytes(with: [
      "normalizer": steps, "added_tokens": [[String: Any]](),
    ])
    #expect(try Tokenizer(file).tokens(of: "a mug").count <= TokenNormalization.scalarLimit + 1)
    let added: [String: Any] = ["id": 300, "content": "a", "normalized": true]
    let growing = try SmallTokenizer.spaced.bytes(with: [
      "normalizer": steps, "added_tokens": [added],
    ])
    let error = #expect(throws: ReadingError.self) { try Tokenizer(growing) }
    #expect(error?.code == .otherShape && error?.message.contains("added token") == true)
    let long: [String: Any] = [
      "type": "Replace", "pattern": ["String": "a"], "content": String(repeating: "a", count: 257),
    ]
    let refused = #expect(throws: ReadingError.self) {
      try Tokenizer(SmallTokenizer.clip.bytes(with: ["normalizer": long]))
    }
    #expect(refused?.message.contains("at most 256") == true)
  }

  @Test func `what is no file of a tokenizer is told`() throws {
    for text in ["", "{}", "[1]", #"{"model":{"vocab":{"a":"b"}}}"#, "{\"model\":{\"vocab\":["] {
      let error = #expect(throws: ReadingError.self) { try Tokenizer(Array(text.utf8)) }
      #expect(error?.code == .corrupt)
    }
    let vocabulary = Dictionary(
      uniqueKeysWithValues: (0...Tokenizer.vocabularyLimit).map { ("t\($0)", $0) })
    let model: [String: Any] = ["type": "BPE", "vocab": vocabulary, "merges": [String]()]
    let many = try SmallTokenizer.clip.bytes(with: ["model": model])
    let error = #expect(throws: ReadingError.self) { try Tokenizer(many) }
    #expect(error?.code == .tooLarge)
  }
}

/// The encoder of words, with a model that sees the colors that they name.
@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct TextEncoderTests {
  private func open(
    _ model: [UInt8]?, tokenizer: [UInt8]? = nil, image: [UInt8]? = ONNXModel.encoder()
  ) throws -> TextEncoder? {
    let folder = try ModelFolder(
      image: image, configuration: image == nil ? nil : ModelFolder.configuration)
    try folder.put(words: model, tokenizer: tokenizer ?? SmallTokenizer.clip.bytes())
    return try ReadingModels(folder: folder.path).words
  }

  private func vector(_ encoder: TextEncoder?, _ text: String) throws -> [Float] {
    try #require(encoder).vector(of: text)
  }

  /// Would break if tokens were given in another type or order, or if what fills the length counted.
  @Test(arguments: [8, nil], [false, true])
  func `words become vectors of length 1`(length: Int?, isLong: Bool) throws {
    for isMasked in [false, true] {
      let encoder = try open(
        ONNXModel.words(length: length, isLong: isLong, isMasked: isMasked))
      let green = try vector(encoder, "a GREEN mug")
      #expect(green.count == 3 && green[1] > 0.5 && green[0] < 0 && green[2] < 0)
      let red = try vector(encoder, "red")
      #expect(red[0] > 0.5 && red[1] < 0)
      #expect((red.map { $0 * $0 }.reduce(0, +) - 1).magnitude < 0.001)
      #expect(try vector(encoder, "red") == red)
    }
  }

  @Test func `models that do not fit are told when they are opened`() throws {
    func message(_ body: () throws -> TextEncoder?) -> String? {
      (#expect(throws: ReadingError.self) { _ = try body() })?.message
    }
    #expect(message { try open(ONNXModel.words(dimensions: 4)) }?.contains("1 × 3") == true)
    #expect(message { try open(ONNXModel.encoder()) }?.contains("whole numbers") == true)
    #expect(message { try open(ONNXModel.words(length: 2)) }?.contains("takes 2 tokens") == true)
    #expect(message { try open([1, 2, 3]) }?.contains("not a model") == true)
    #expect(
      message { try open(ONNXModel.words(vocabulary: 300)) }?.contains("with the token 583") == true
    )
    #expect(
      message { try open(ONNXModel.words(), image: nil) }?.contains("no image/model.onnx") == true)
    let folder = try ModelFolder(image: ONNXModel.encoder())
    try folder.put(words: ONNXModel.words(), tokenizer: nil)
    let error = #expect(throws: ReadingError.self) { try ReadingModels(folder: folder.path) }
    #expect(error?.code == .missing && error?.message.contains("tokenizer.json") == true)
  }
}
