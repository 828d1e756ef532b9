/// One thing that is fuzzed. A trap, a report of a sanitizer, an input that takes too long and one
/// that takes too much memory are findings.
protocol FuzzTarget: SendableMetatype {
  static var name: String { get }
  /// The longest input that is tried, in bytes.
  static var byteLimit: Int { get }
  /// Inputs to begin with: valid ones of every kind, so that mutations reach all of the code.
  static func seeds() -> [[UInt8]]
  /// Words that mutations insert.
  static var dictionary: [[UInt8]] { get }
  /// Runs the code with an input and traps if a property does not hold.
  ///
  /// - Returns: True if the input may become part of the corpus.
  static func run(_ bytes: [UInt8]) -> Bool
}

extension FuzzTarget {
  static var dictionary: [[UInt8]] { [] }
}

/// The UTF-8 bytes of each text.
func utf8(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
