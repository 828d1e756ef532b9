/// Models in the format ONNX of a few hundred bytes, written by the tests themselves.
///
/// Source of the numbers of fields: onnx.proto3 of ONNX 1.6, <https://github.com/onnx/onnx>.
public enum ONNXModel {
  /// A detector of text for which bright pixels are text: the probability of a pixel is its brightest channel.
  public static let detector = model(
    graph(
      [node("ReduceMax", [("axes", ints([1])), ("keepdims", int(1))])],
      input: [nil, 3, nil, nil], output: [nil, 1, nil, nil]))

  /// A recognizer of the letters A, which is green, and B, which is red; blue is no letter. Each letter is at least 32 of
  /// 48 pixels of the height wide.
  public static let recognizer = recognizer(characters: "A\nB\n")

  /// The same with another list of characters, or none.
  public static func recognizer(characters: String?) -> [UInt8] {
    let nodes = [
      node(
        "MaxPool", [("kernel_shape", ints([48, 16])), ("strides", ints([48, 16]))], from: "x",
        to: "a"),
      node("Squeeze", [("axes", ints([2]))], from: "a", to: "b"),
      node("Transpose", [("perm", ints([0, 2, 1]))], from: "b", to: "y"),
    ]
    return model(
      graph(nodes, input: [nil, 3, 48, nil], output: [nil, nil, 3]),
      metadata: characters.map { [("character", $0)] } ?? [])
  }

  /// An encoder of images whose features are the means of red, green and blue over the image.
  ///
  /// - Parameters:
  ///   - height: The height of an image, or `nil` for any.
  ///   - width: The width of an image, or `nil` for any.
  ///   - isHalf: True if its numbers have 16 bits.
  ///   - outputs: The names of its outputs; the features of the first are those of the others, negated.
  public static func encoder(
    height: Int? = 32, width: Int? = 32, isChannelsLast: Bool = false, isHalf: Bool = false,
    outputs: [String] = ["y"], keepsPlaces: Bool = false
  ) -> [UInt8] {
    let places = isChannelsLast ? [1, 2] : [2, 3]
    var nodes: [[UInt8]] = []
    for (index, output) in outputs.enumerated() {
      let mean = node(
        "ReduceMean", [("axes", ints(places)), ("keepdims", int(keepsPlaces ? 1 : 0))], from: "x",
        to: index == 0 && outputs.count > 1 ? "m" : output)
      nodes += [mean]
      if index == 0, outputs.count > 1 { nodes.append(node("Neg", [], from: "m", to: output)) }
    }
    let type = isHalf ? 10 : 1
    let shape = isChannelsLast ? [nil, height, width, 3] : [nil, 3, height, width]
    let kept: [Int?] =
      keepsPlaces ? (isChannelsLast ? [nil, 1, 1, 3] : [nil, 3, 1, 1]) : [nil, 3]
    return model(
      nodes.flatMap { field(1, $0) } + field(2, "g") + field(11, value("x", type, shape))
        + outputs.flatMap { field(12, value($0, type, kept)) })
  }

  /// An encoder of words whose features are the sums of those of their tokens: red, green and blue for the words of
  /// ``SmallTokenizer/clip`` that name them, less for all others, and nothing for marks.
  ///
  /// - Parameters:
  ///   - length: The number of tokens, or `nil` for any.
  ///   - isLong: True if tokens have 64 bits.
  ///   - isMasked: True if another input tells which tokens count.
  ///   - dimensions: The number of features.
  ///   - vocabulary: The number of tokens that it knows; all of them by default.
  public static func words(
    length: Int? = 16, isLong: Bool = true, isMasked: Bool = false, dimensions: Int = 3,
    vocabulary: Int? = nil
  ) -> [UInt8] {
    let file = SmallTokenizer.clip
    var rows = [[Float]](
      repeating: [Float](repeating: 0.02, count: dimensions),
      count: vocabulary ?? file.tokens.count)
    func set(_ token: String, _ place: Int?) {
      let number = file.number(of: token)
      guard rows.indices.contains(number) else { return }
      rows[number] = (0..<dimensions).map { place == nil ? 0 : $0 == place ? 1 : -1 }
    }
    set("red</w>", 0)
    set("green</w>", 1)
    set("blue</w>", 2)
    // With a mask, what fills the length would count without it.
    if !isMasked { for mark in ["<|startoftext|>", "<|endoftext|>"] { set(mark, nil) } }
    let bytes = rows.joined().flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
    }
    let table =
      field(1, rows.count) + field(1, dimensions) + field(2, 1) + field(8, "t") + field(9, bytes)
    let gather =
      field(1, "t") + field(1, "input_ids") + field(2, "e") + field(4, "Gather")
    let masking: [[UInt8]] = [
      node("Cast", [("to", int(1))], from: "attention_mask", to: "m"),
      node("Unsqueeze", [("axes", ints([2]))], from: "m", to: "u"),
      field(1, "e") + field(1, "u") + field(2, "w") + field(4, "Mul"),
    ]
    let sum = node(
      "ReduceSum", [("axes", ints([1])), ("keepdims", int(0))], from: isMasked ? "w" : "e",
      to: "text_embeds")
    let type = isLong ? 7 : 6
    let inputs = ["input_ids"] + (isMasked ? ["attention_mask"] : [])
    return model(
      ([gather] + (isMasked ? masking : []) + [sum]).flatMap { field(1, $0) } + field(2, "g")
        + field(5, table) + inputs.flatMap { field(11, value($0, type, [1, length])) }
        + field(12, value("text_embeds", 1, [1, dimensions])))
  }

  /// A model that gives its input.
  public static func identity(shape: [Int?]) -> [UInt8] {
    model(graph([node("Identity", [])], input: shape, output: shape))
  }

  /// A model of one image of any size that never ends.
  public static let endless = model(
    graph(
      [
        field(1, "m") + field(1, "c") + field(1, "x") + field(2, "y") + field(4, "Loop")
          + field(
            5,
            field(1, "body")
              + field(
                6,
                field(
                  1, field(1, "d") + field(2, "e") + field(4, "Identity"))
                  + field(1, field(1, "v") + field(2, "w") + field(4, "Neg"))
                  + field(2, "body") + field(11, value("i", 7, []))
                  + field(11, value("d", 9, [])) + field(11, value("v", 1, [nil, 3, nil, nil]))
                  + field(12, value("e", 9, [])) + field(12, value("w", 1, [nil, 3, nil, nil])))
              + field(20, 5))
      ],
      input: [nil, 3, nil, nil], output: [nil, 3, nil, nil],
      constants: [
        field(2, 7) + field(8, "m") + field(9, [255, 255, 255, 255, 255, 255, 255, 127]),
        field(2, 9) + field(8, "c") + field(9, [1]),
      ]))

  private static func model(
    _ graph: [UInt8], metadata: [(key: String, value: String)] = []
  ) -> [UInt8] {
    field(1, 6) + field(7, graph) + field(8, field(1, "") + field(2, 11))
      + metadata.flatMap { field(14, field(1, $0.key) + field(2, $0.value)) }
  }

  private static func graph(
    _ nodes: [[UInt8]], input: [Int?], output: [Int?], constants: [[UInt8]] = []
  ) -> [UInt8] {
    nodes.flatMap { field(1, $0) } + field(2, "g") + constants.flatMap { field(5, $0) }
      + field(11, value("x", 1, input)) + field(12, value("y", 1, output))
  }

  private static func node(
    _ type: String, _ attributes: [(name: String, bytes: [UInt8])], from input: String = "x",
    to output: String = "y"
  ) -> [UInt8] {
    field(1, input) + field(2, output) + field(4, type)
      + attributes.flatMap { field(5, field(1, $0.name) + $0.bytes) }
  }

  /// An input or output: its name, the type of its elements and its sides.
  private static func value(_ name: String, _ type: Int, _ shape: [Int?]) -> [UInt8] {
    let sides = shape.enumerated().flatMap { index, side in
      field(1, side.map { field(1, $0) } ?? field(2, "\(name)\(index)"))
    }
    return field(1, name) + field(2, field(1, field(1, type) + field(2, sides)))
  }

  private static func int(_ number: Int) -> [UInt8] { field(3, number) + field(20, 2) }

  private static func ints(_ numbers: [Int]) -> [UInt8] {
    numbers.flatMap { field(8, $0) } + field(20, 7)
  }

  private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(bytes.count) + bytes
  }

  private static func field(_ number: Int, _ text: String) -> [UInt8] {
    field(number, Array(text.utf8))
  }

  private static func field(_ number: Int, _ value: Int) -> [UInt8] {
    varint(number << 3) + varint(value)
  }

  private static func varint(_ number: Int) -> [UInt8] {
    var (rest, bytes) = (UInt64(bitPattern: Int64(number)), [UInt8]())
    while rest > 127 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
