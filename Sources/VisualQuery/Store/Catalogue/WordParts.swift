/// The parts by which mistyped words are found.
///
/// A word is cut into three parts. A word that two insertions, removals or replacements make of it has at
/// least one of the parts unchanged, at most two places further on. So all such words are found by a few
/// look-ups, whose number does not depend on the catalogue: Li, Deng, Wang, Feng, "PASS-JOIN: a
/// partition-based method for similarity joins", PVLDB 5 (2011), <https://doi.org/10.14778/2078331.2078340>.
enum WordParts {
  /// The lengths of words that are found, in scalars.
  static let lengths = 4...32
  private static let count = 3

  /// A part of a word, with the places where it may be looked up.
  struct Part: Hashable {
    /// The length of the whole word.
    let length: Int
    /// The number of the part, from 0.
    let place: Int
    let text: String
  }

  /// Returns the parts of a word, or none if its length is out of range.
  static func parts(of word: String) -> [Part] {
    let scalars = Array(word.unicodeScalars)
    guard lengths.contains(scalars.count) else { return [] }
    return ranges(ofLength: scalars.count).enumerated().map { place, range in
      Part(length: scalars.count, place: place, text: text(scalars[range]))
    }
  }

  /// Returns the parts that a word with a few mistakes can share with a mistyped one.
  static func candidates(for typed: String) -> [Part] {
    let scalars = Array(typed.unicodeScalars)
    let mistakes = mistakes(in: typed)
    guard mistakes > 0 else { return [] }
    var parts: [Part] = []
    for length in (scalars.count - mistakes)...(scalars.count + mistakes)
    where lengths.contains(length) {
      for (place, range) in ranges(ofLength: length).enumerated() {
        // Two swapped letters count as one mistake but are two replacements, so a part may
        // be displaced by up to two letters.
        for start in range.lowerBound - 2...range.lowerBound + 2
        where start >= 0 && start + range.count <= scalars.count {
          parts.append(
            Part(
              length: length, place: place, text: text(scalars[start..<start + range.count])))
        }
      }
    }
    return Set(parts).sorted { ($0.length, $0.place, $0.text) < ($1.length, $1.place, $1.text) }
  }

  /// The number of mistakes that are forgiven: none in fewer than four letters, one in fewer than seven,
  /// two in more.
  static func mistakes(in word: String) -> Int {
    switch word.unicodeScalars.prefix(lengths.upperBound + 1).count {
    case 4...6: 1
    case 7...lengths.upperBound: 2
    default: 0
    }
  }

  /// The first parts are the shorter ones.
  private static func ranges(ofLength length: Int) -> [Range<Int>] {
    (0..<count).map { place in
      func start(_ place: Int) -> Int {
        place * (length / count) + max(0, place - (count - length % count))
      }
      return start(place)..<start(place + 1)
    }
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
