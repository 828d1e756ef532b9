#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The contents of a `tokenizer.json`, as far as byte-pair encoding needs them.
///
/// The file is that of Hugging Face's tokenizers, <https://huggingface.co/docs/tokenizers/api/tokenizer>.
struct TokenizerFile: Decodable {
  var model: Model
  var normalizer: Step?
  var pre_tokenizer: Step?
  var post_processor: Step?
  var truncation: Truncation?
  var padding: Padding?
  var added_tokens: [AddedToken]?

  struct Truncation: Decodable { var max_length: Int? }
  struct Padding: Decodable { var pad_id: Int? }

  struct AddedToken: Decodable {
    var id: Int
    var content: String
    var single_word: Bool?
    var lstrip: Bool?
    var rstrip: Bool?
    var normalized: Bool?
  }

  struct Model: Decodable {
    var type: String?
    var dropout: Double?
    var unk_token: String?
    var continuing_subword_prefix: String?
    var end_of_word_suffix: String?
    var fuse_unk: Bool?
    var byte_fallback: Bool?
    var ignore_merges: Bool?
    /// The numbers of tokens by their texts; `nil` if the model has no such table.
    var vocab: [String: Int]?
    var merges: [Merge]?

    private enum Key: String, CodingKey {
      case type, dropout, unk_token, continuing_subword_prefix, end_of_word_suffix, fuse_unk
      case byte_fallback, ignore_merges, vocab, merges
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      type = try container.decodeIfPresent(String.self, forKey: .type)
      // Models of other types have other tables, so nothing more is read of them.
      if let type, type != "BPE" { return }
      dropout = try container.decodeIfPresent(Double.self, forKey: .dropout)
      unk_token = try container.decodeIfPresent(String.self, forKey: .unk_token)
      continuing_subword_prefix = try container.decodeIfPresent(
        String.self, forKey: .continuing_subword_prefix)
      end_of_word_suffix = try container.decodeIfPresent(String.self, forKey: .end_of_word_suffix)
      fuse_unk = try container.decodeIfPresent(Bool.self, forKey: .fuse_unk)
      byte_fallback = try container.decodeIfPresent(Bool.self, forKey: .byte_fallback)
      ignore_merges = try container.decodeIfPresent(Bool.self, forKey: .ignore_merges)
      vocab = try container.decodeIfPresent([String: Int].self, forKey: .vocab)
      merges = try container.decodeIfPresent([Merge].self, forKey: .merges)
    }
  }

  /// Two tokens that become one: a text with a space between them, or a list of both.
  struct Merge: Decodable {
    let parts: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      } else {
        parts = try container.decode([String].self)
      }
    }
  }

  /// A normalizer, a splitter or what adds tokens around a text: the keys of all of them.
  struct Step: Decodable {
    var type: String
    var normalizers: [Step]?
    var pretokenizers: [Step]?
    var processors: [Step]?
    var pattern: Pattern?
    var content: String?
    var strip_left: Bool?
    var strip_right: Bool?
    var behavior: String?
    var invert: Bool?
    var add_prefix_space: Bool?
    var use_regex: Bool?
    var sep: Special?
    var cls: Special?
    var single: [Piece]?
    var special_tokens: [String: SpecialTokens]?
  }

  struct Pattern: Decodable {
    var Regex: String?
    var String: String?
  }

  /// A token with its number.
  struct Special: Decodable {
    let id: Int

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      _ = try container.decode(String.self)
      id = try container.decode(Int.self)
    }
  }

  struct SpecialTokens: Decodable { var ids: [Int] }

  /// A part of a template: a token, or the text.
  struct Piece: Decodable {
    struct Name: Decodable { var id: String }
    var SpecialToken: Name?
    var Sequence: Name?
  }

  /// Reads a file.
  ///
  /// - Throws: ``ReadingError`` with the code `corrupt`.
  init(_ bytes: [UInt8]) throws(ReadingError) {
    do {
      self = try JSONDecoder().decode(TokenizerFile.self, from: Data(bytes))
    } catch {
      throw ReadingError(
        code: .corrupt,
        message: """
          \(TextEncoder.tokenizerName) cannot be read: expected the JSON object of a tokenizer of byte-pair encoding
          """)
    }
  }
}
