import Foundation

/// A `tokenizer.json` with a small vocabulary, as models of the kind of CLIP publish it.
public struct SmallTokenizer: Sendable {
  /// The merges, in the order in which they were learnt from names of things.
  public var merges: [String]
  /// The text at the end of a word, as CLIP has it; empty for vocabularies in which a word begins with its space.
  public var suffix: String
  /// The tokens, in the order of their numbers: the bytes, those at the end of a word, what was merged, and two marks.
  public let tokens: [String]

  private init(merges: [String], suffix: String) {
    (self.merges, self.suffix) = (merges, suffix)
    let bytes = (0...255).map { Self.text(of: $0) }
    tokens =
      bytes + (suffix.isEmpty ? [] : bytes.map { $0 + suffix })
      + merges.map { $0.replacing(" ", with: "") } + ["<|startoftext|>", "<|endoftext|>"]
  }

  /// The characters by which such files write bytes.
  private static func text(of byte: Int) -> String {
    func isSeen(_ byte: Int) -> Bool {
      (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174
    }
    let number = isSeen(byte) ? byte : 256 + (0..<byte).count { !isSeen($0) }
    return Unicode.Scalar(UInt32(number)).map { String($0) } ?? ""
  }

  /// The number of a token.
  public func number(of token: String) -> Int { tokens.firstIndex(of: token) ?? -1 }

  /// The kind of CLIP: words without their spaces, in lower case, between two marks.
  public static let clip = SmallTokenizer(
    merges: """
      r e, a m, e n</w>, g re, gre en</w>, m u, mu g</w>, o t, am p</w>, k e,
      l amp</w>, a n, b l, b ot, bot t, bott l, bottl e</w>, e a, an ke, anke t</w>,
      bl anket</w>, e l</w>, e s</w>, ea ke, h o, ho es</w>, n eake, o l</w>, o ol</w>, ot e</w>,
      re d</w>, s hoes</w>, s neake, t e, t ote</w>, w ool</w>, a g</w>, a i, a s</w>, a te,
      ai l</w>, am el</w>, an v, anv as</w>, ate r</w>, b ag</w>, bl u, blu e</w>, c amp</w>, c anvas</w>,
      d e, de s, des k</w>, e n, ea l</w>, en amel</w>, h e</w>, h ot, hot o</w>, i n,
      i n</w>, i s</w>, in g</w>, n ing</w>, n ning</w>, o f</w>, p hoto</w>, r ail</w>, r s</w>, r u
      """.lines, suffix: "</w>")

  /// The kind of GPT-2: words with their spaces, before a mark.
  public static let spaced = SmallTokenizer(
    merges: """
      r e, e n, Ġ b, a m, g re, gre en, m u, mu g, o t, Ġ green,
      Ġ mug, am p, Ġ s, Ġ t, k e, l amp, Ġ lamp, a n, e a, e s,
      l e, ot t, ott le, Ġ w, Ġb l, Ġb ottle, an ke, anke t, e l, ea ke,
      eake r, h o, ho es, i n, n eaker, o l, o ol, ot e, re d, t e,
      Ġ a, Ġ c, Ġ red, Ġbl anket, Ġs hoes, Ġs neaker, Ġt ote, Ġw ool, a g, a i,
      a s, a te, ai l, am el, an v, anv as, ate r, d es, des k, ea l
      """.lines, suffix: "")

  private static func added(_ number: Int, _ text: String, _ isNormalized: Bool) -> [String: Any] {
    [
      "id": number, "content": text, "single_word": false, "lstrip": false, "rstrip": false,
      "normalized": isNormalized, "special": true,
    ]
  }

  private var model: [String: Any] {
    let vocabulary = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, $0) })
    return [
      "type": "BPE", "fuse_unk": false, "end_of_word_suffix": suffix, "vocab": vocabulary,
      "merges": suffix.isEmpty ? merges.map { $0.split(separator: " ").map(String.init) } : merges,
    ]
  }

  /// The contents of the file.
  public var object: [String: Any] {
    let (start, end) = (tokens.count - 2, tokens.count - 1)
    guard !suffix.isEmpty else {
      return [
        "version": "1.0", "added_tokens": [Self.added(end, "<|endoftext|>", false)],
        "pre_tokenizer": ["type": "ByteLevel", "add_prefix_space": true],
        "post_processor": [
          "type": "TemplateProcessing",
          "single": [
            ["Sequence": ["id": "A", "type_id": 0]],
            ["SpecialToken": ["id": "<|endoftext|>", "type_id": 0]],
          ],
          "special_tokens": ["<|endoftext|>": ["id": "<|endoftext|>", "ids": [end], "tokens": []]],
        ], "model": model,
      ]
    }
    let pattern =
      #"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"#
    return [
      "version": "1.0",
      "added_tokens": [
        Self.added(start, "<|startoftext|>", true), Self.added(end, "<|endoftext|>", true),
      ],
      "normalizer": [
        "type": "Sequence",
        "normalizers": [
          ["type": "NFC"], ["type": "Replace", "pattern": ["Regex": #"\s+"#], "content": " "],
          ["type": "Lowercase"],
        ],
      ],
      "pre_tokenizer": [
        "type": "Sequence",
        "pretokenizers": [
          [
            "type": "Split", "pattern": ["Regex": pattern], "behavior": "Removed", "invert": true,
          ],
          ["type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true],
        ],
      ],
      "post_processor": [
        "type": "RobertaProcessing", "sep": ["<|endoftext|>", end],
        "cls": ["<|startoftext|>", start], "trim_offsets": false, "add_prefix_space": false,
      ], "model": model,
    ]
  }

  /// The file, with some values in place of its own.
  public func bytes(with other: [String: Any] = [:]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: object.merging(other) { $1 }))
  }
}

extension String {
  /// The parts between commas.
  fileprivate var lines: [String] {
    split { $0 == "," || $0 == "\n" }.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
