import Foundation
import TestSupport
import Testing

/// Commands with a model that encodes images, which the tests write themselves.
@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct ModelCommandTests {
  private let queries = SampleShop.folder.path + "/queries/queries.jsonl"

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Would break if the figures of one model were shown for the other, if an index were changed by being measured, or if vectors that it
  /// lacks were not computed.
  @Test func `two models are compared side by side`() throws {
    let first = try ModelFolder(image: ONNXModel.encoder())
    let second = try ModelFolder(image: ONNXModel.encoder(height: nil))
    let asked = ["eval", queries, "--index", try IndexedShop.path(), "-q", "--models"]
    let run = try RunningVQ(asked + [first.path, "--models", second.path])
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.output.split(separator: "\n").map(String.init)
    try #require(lines.count > 2)
    #expect(lines[0].hasPrefix("A  \(first.path)  image/model.onnx "))
    #expect(lines[1].hasPrefix("B  \(second.path)  image/model.onnx "))
    #expect(lines[0].suffix(40) != lines[1].suffix(40) && lines[1].hasSuffix(" images"))
    let recall = try #require(lines.first { $0.hasPrefix("recall@1 ") }).split(separator: " ")
    #expect(recall.count == 4 && recall[1] == recall[2] && recall[3] == "+0.000")
    let printed = try RunningVQ(asked + ["none", "--models", second.path, "--json"])
    let models = try #require(try object(printed.output)["models"] as? [[String: Any]])
    #expect(models.map { $0["folder"] as? String } == ["none", second.path])
    #expect(models[0]["model"] is NSNull && models[0]["images"] as? Int == 0)
    #expect(models[1]["images"] as? Int ?? 0 > 20)
    let alone = try RunningVQ(asked.dropLast() + ["--json"])
    #expect(
      try NSDictionary(dictionary: object(alone.output))
        == NSDictionary(dictionary: #require(models[0]["figures"] as? [String: Any])))
    let status = try RunningVQ(["catalogue", "status", "--index", IndexedShop.path()])
    #expect(!status.output.contains("image/model.onnx"))
  }

  /// Would break if words alone were refused though a model encodes them, or answered with nothing though none does.
  @Test func `words alone search images`() throws {
    let folder = try TemporaryDirectory()
    let model = try ModelFolder(image: ONNXModel.encoder())
    let index = folder.path + "/s.vq"
    #expect(
      try RunningVQ(["index", SampleShop.catalogue, "--index", index, "-q"]).status == 0)
    let asked = ["match", "--text", "green mug", "--index", index]
    let none = try RunningVQ(asked)
    #expect(
      none.status == 2
        && none.errors.contains("--text alone requires --models DIR with text/model.onnx"))
    let without = try RunningVQ(asked + ["--models", model.path])
    #expect(without.status == 2 && without.errors.contains("--models has no text/model.onnx"))
    try model.put(words: ONNXModel.words(), tokenizer: SmallTokenizer.clip.bytes())
    let early = try RunningVQ(asked + ["--models", model.path])
    #expect(early.status == 2 && early.errors.contains("requires vectors of the images"))
    #expect(
      try RunningVQ(["catalogue", "embed", "--models", model.path, "--index", index]).status == 0)
    let found = try RunningVQ(asked + ["--models", model.path, "--json"])
    #expect(found.status == 0)
    let answer = try object(found.output)
    let values = try #require(answer["values"] as? [[String: Any]])
    #expect(answer["query"] as? String == "green mug" && answer["complete"] as? Bool == true)
    #expect(values.count == 8 && values.allSatisfy { $0["tier"] as? String == "similar" })
    try model.put(words: ONNXModel.words(), tokenizer: Array(#"{"model":{"type":"Unigram"}}"#.utf8))
    let other = try RunningVQ(asked + ["--models", model.path])
    #expect(other.status == 1 && other.errors.contains("only byte-pair encoding is read"))
  }

  @Test func `what cannot be compared is told`() throws {
    let folder = try TemporaryDirectory()
    let model = try ModelFolder(image: ONNXModel.encoder())
    _ = try folder.copy(SampleShop.image("oats.jpg"), to: "oats.jpg")
    _ = try folder.write(
      #"{"type":"product","id":"a","title":"A","images":["oats.jpg"],"embeddings":{"model":"own","vectors":["ADwAPA"]}}"#,
      to: "feed.jsonl")
    _ = try folder.write(#"{"image":"oats.jpg","truth":["a"]}"#, to: "q.jsonl")
    let directory = folder.path
    #expect(
      try RunningVQ(["index", "feed.jsonl", "--index", "s.vq"], directory: directory).status == 0)
    func errors(_ models: [String]) throws -> String {
      let run = try RunningVQ(
        ["eval", "q.jsonl"] + models.flatMap { ["--models", $0] }, directory: directory)
      #expect(run.status != 0 && run.output.isEmpty)
      return run.errors
    }
    #expect(
      try errors([model.path, "none"]).contains(
        "all images of 's.vq' have vectors that came with the feed, of neither model"))
    #expect(try errors([model.path, "none", "none"]).contains("compares two --models; found 3"))
    let empty = try ModelFolder()
    #expect(try errors([model.path, empty.path]).contains("has no image/model.onnx"))
    let report = try RunningVQ(
      ["eval", "q.jsonl", "--models", "none", "--models", "none", "--report", "r.html"],
      directory: directory)
    #expect(report.status == 2 && report.errors.contains("--report"))
    let kept = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(!kept.contains("r.html"))
  }
}
