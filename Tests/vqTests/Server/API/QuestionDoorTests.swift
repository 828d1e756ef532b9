import Foundation
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// The same question through each of its doors: arguments, the query of a URL, a form, JSON, and the token of an answer.
@Suite struct QuestionDoorTests {
  /// A question as JSON, with the fields that it has.
  struct Case: Sendable, CustomTestStringConvertible {
    let json: String
    var testDescription: String { json }

    init(_ json: String) { self.json = json }

    func fields() throws -> [String: JSONValue] {
      guard case .object(let fields) = try JSONValue(json: Array(json.utf8)) else { return [:] }
      return fields
    }
  }

  /// Every field at least once, at its limits, at its defaults, and together with others.
  static let questions = [
    "{}", #"{"limit":8}"#, #"{"limit":1}"#, #"{"limit":100}"#, #"{"limit":12}"#,
    #"{"products":5}"#, #"{"products":0}"#, #"{"products":100}"#, #"{"stores":3}"#,
    #"{"stores":0}"#, #"{"limit":8,"products":5,"stores":3}"#, #"{"minConfidence":0}"#,
    #"{"minConfidence":0.25}"#, #"{"minConfidence":1}"#, #"{"deadlineMs":1}"#,
    #"{"deadlineMs":9000}"#, #"{"deadlineMs":3600000}"#, #"{"type":"store"}"#,
    #"{"labels":["mug","tea cup"]}"#, #"{"labels":[]}"#, #"{"codes":["4006381333931"]}"#,
    #"{"texts":["HONEY OATS, 500 g"]}"#, #"{"text":"this, but in green"}"#,
    #"{"where":["price<20"]}"#, #"{"where":["title~mug, red","labels=mug","price>=3.5"]}"#,
    #"{"withLabel":["mug","lamp"]}"#, #"{"withLabel":["mug"],"where":["brand!=North"]}"#,
    #"{"region":[0.25,0.25,0.5,0.5]}"#, #"{"region":[10,20,300,400]}"#,
    #"{"near":{"latitude":53.54,"longitude":9.99}}"#,
    #"{"near":{"latitude":-90,"longitude":180}}"#,
    #"{"near":{"latitude":53.54,"longitude":9.99},"radius":1500}"#,
    #"{"at":"2026-05-04T10:30:00Z"}"#,
    #"{"at":"2026-05-04T10:30:00.5Z"}"#, #"{"at":"2026-05-04T12:30:00+02:00"}"#,
    #"{"locale":"de"}"#, #"{"locale":"de_CH"}"#, #"{"group":true}"#, #"{"group":false}"#,
    #"{"tolerant":true}"#, #"{"subject":"catalogued"}"#, #"{"subject":"anything"}"#,
    #"{"appPage":"home"}"#, #"{"caller":"4f2a"}"#,
    #"{"answers":"sure"}"#, #"{"answers":"all"}"#, #"{"feedback":false}"#,
    #"{"similar":true}"#, #"{"similar":false}"#,
    #"{"facets":["brand","labels"],"facetPrefix":"no","facetLimit":5}"#,
    #"{"labels":["mug"],"limit":3,"type":"product","where":["price<20"],"answers":"sure","group":true}"#,
  ].map(Case.init)

  /// Would break if a door read a field by rules of its own, or forgot it.
  @Test(arguments: questions, Question.Door.allCases)
  func `each door reads the same question`(_ question: Case, through door: Question.Door) throws {
    let fields = try question.fields()
    let known = Question.fields.filter { fields[$0.name] != nil }
    try #require(known.count == fields.count)
    // The expected question is that of JSON beside an image, because only there all of these fields may be given.
    let meant = try Question(
      RequestFields(json: Array(question.json.utf8)), hasPicture: true, language: nil)
    let isFlagOff = door == .argument && fields.values.contains(.bool(false))
    guard known.allSatisfy({ $0.doors.contains(door) }), !isFlagOff else { return }
    let read: Question
    switch door {
    case .argument:
      let line = ["match", "a.jpg", "--index", "i"] + Self.arguments(fields, known)
      read = try Question(parsed(line))
    case .query:
      let query = Self.parameters(fields)
      read = try Question(RequestFields(query), hasPicture: true, language: nil)
    case .form: read = meant
    case .json:
      var named = fields
      let isAsked = named["labels"] ?? .array([]) != .array([]) || named["codes"] != nil
      if !isAsked { named["labels"] = .array([.string("lamp")]) }
      var found = try Question(
        RequestFields(.object(named), field: nil), hasPicture: false, language: nil)
      if !isAsked { found.labels = meant.labels }
      read = found
    case .token:
      let asked = ContinuedQuestion(
        labels: meant.labels ?? [], codes: meant.codes ?? [], texts: meant.texts ?? [],
        text: meant.text ?? "", options: meant.options(timeout: nil))
      let bytes = try JSONEncoder().encode(asked)
      let opened = try JSONDecoder().decode(ContinuedQuestion.self, from: bytes)
      #expect(opened == asked)
      return
    }
    #expect(read.options(timeout: read.deadline) == meant.options(timeout: meant.deadline))
    // An empty list says as much as none.
    var (a, b) = (read, meant)
    for path in [\Question.labels, \.codes, \.wantedLabels, \.facets] {
      a[keyPath: path] = a[keyPath: path] ?? []
      b[keyPath: path] = b[keyPath: path] ?? []
    }
    (a.texts, b.texts) = (a.texts ?? [], b.texts ?? [])
    #expect(a == b)
  }

  @Test func `a text of the device may have its box`() throws {
    func texts(_ json: String) throws -> [QuestionText]? {
      try Question(
        RequestFields(json: Array(#"{"texts":\#(json)}"#.utf8)), hasPicture: true, language: nil
      ).texts
    }
    let lines = [QuestionText("HONEY", box: [0.1, 0.2, 0.5, 0.1]), QuestionText("500 g")]
    #expect(
      try texts(#"[{"text":"HONEY","box":[0.1,0.2,0.5,0.1]},{"text":"500 g"}]"#) == lines)
    #expect(try texts(#"["HONEY",{"text":"500 g","box":null}]"#) == [.init("HONEY"), lines[1]])
    let asked = ContinuedQuestion(
      labels: [], codes: [], texts: lines, options: Question().options(timeout: nil))
    let bytes = try JSONEncoder().encode(asked)
    #expect(try JSONDecoder().decode(ContinuedQuestion.self, from: bytes) == asked)
    for wrong in [
      #"{"text":"A"}"#, "[1]", "[null]", "[{}]", #"[{"text":1}]"#, #"[{"text":"A","at":1}]"#,
      #"[{"text":"A","box":[0,0,1]}]"#, #"[{"text":"A","box":[0,0,1,2]}]"#,
      #"[{"text":"A","box":[0,0,1,1,1]}]"#, #"[{"text":"A","box":[0,0,1,"1"]}]"#,
      #"[{"text":"A","box":{}}]"#, #"[{"text":"A\u0007"}]"#,
      "[\(Array(repeating: #"{"text":"A"}"#, count: 65).joined(separator: ","))]",
      "[{\"text\":\"\(String(repeating: "A", count: 201))\"}]",
    ] {
      #expect(throws: Problem.self, "\(wrong.prefix(60))") { try texts(wrong) }
    }
  }

  /// Would break if a field were added to the table and to no question above.
  @Test func `every field is asked for above`() throws {
    var names = Set(try Self.questions.flatMap { try $0.fields().keys })
    // A signature and an embedding are too long to be read here, and a continuation is another question.
    names.formUnion(["signature", "embedding", "continuation", "fromStart", "refresh"])
    #expect(names == Set(Question.fields.map(\.name)))
  }

  /// Would break if a limit that equals the default were taken for none, as `--limit 8` was.
  @Test(arguments: [["--limit", "8"], ["--products", "5"], ["--limit", "8", "--products", "5"]])
  func `a limit that is given holds for a page of many things`(_ words: [String]) throws {
    let given = try Question(parsed(["match", "a.jpg", "--index", "i"] + words))
    #expect(given.options(timeout: nil).pageLimit == 0)
    let environment = try Question(
      parsed(["match", "a.jpg", "--index", "i"], environment: ["VQ_LIMIT": "8"]))
    #expect(environment.options(timeout: nil).pageLimit == 0)
    #expect(Question().options(timeout: nil).pageLimit == MatchOptions.defaultPageLimit)
  }

  /// What each door must refuse, with the name of the field.
  static let mistakes = [
    #"{"limit":0}"#, #"{"limit":101}"#, #"{"products":-1}"#, #"{"stores":101}"#,
    #"{"minConfidence":1.5}"#, #"{"deadlineMs":3600001}"#, #"{"type":"shop"}"#,
    #"{"where":["price"]}"#, #"{"region":[0,0,0,1]}"#, #"{"region":[0,0,1]}"#,
    #"{"near":"91,0"}"#, #"{"at":"tomorrow"}"#, #"{"locale":"d!"}"#, #"{"subject":"x"}"#,
    #"{"answers":"some"}"#, #"{"text":"\#(String(repeating: "a", count: 201))"}"#,
    #"{"labels":["\#(String(repeating: "a", count: 101))"]}"#,
    #"{"withLabel":[\#((0...64).map { "\"l\($0)\"" }.joined(separator: ","))]}"#,
    #"{"where":["title=\#(String(repeating: "a", count: 1000))"]}"#,
  ].map(Case.init)

  /// Would break if a door took what another refuses, or lost it without a word.
  @Test(arguments: mistakes, [Question.Door.argument, .query, .form])
  func `each door refuses the same values`(_ question: Case, through door: Question.Door) throws {
    let fields = try question.fields()
    let name = try #require(fields.keys.first)
    let field = try #require(Question.fields.first { $0.name == name })
    switch door {
    case .argument:
      let line = ["match", "a.jpg", "--index", "i"] + Self.arguments(fields, [field])
      let error = #expect(throws: (any Error).self) { _ = try Question(parsed(line)) }
      let message =
        (error as? UsageError)?.message ?? (error as? CommandFailure)?.message ?? "none"
      #expect(message.hasPrefix("--\(field.option ?? "") "), "\(message)")
    case .query:
      let error = #expect(throws: Problem.self) {
        _ = try Question(
          RequestFields(Self.parameters(fields)), hasPicture: true, language: nil)
      }
      #expect(error?.field == name && error?.code == .invalidParameter)
    case .form, .json, .token:
      let error = #expect(throws: Problem.self) {
        _ = try Question(
          RequestFields(json: Array(question.json.utf8)), hasPicture: true, language: nil)
      }
      #expect(error?.field == name && error?.code == .invalidField)
    }
  }

  // MARK: Writing

  /// Returns the text of a field as a command line and a query have it; several for conditions.
  private static func texts(_ value: JSONValue, _ name: String) -> [String] {
    switch value {
    case .string(let text): return [text]
    case .integer(let number): return ["\(number)"]
    case .number(let number): return ["\(number)"]
    case .bool(let flag): return [flag ? "true" : "false"]
    case .array(let values):
      let elements = values.flatMap { texts($0, name) }
      return name == "where" ? elements : [elements.joined(separator: ",")]
    case .object(let parts):
      return [
        ["latitude", "longitude"].flatMap { texts(parts[$0] ?? .null, name) }
          .joined(separator: ",")
      ]
    case .null: return []
    }
  }

  private static func arguments(
    _ fields: [String: JSONValue], _ known: [any AnyQuestionField]
  ) -> [String] {
    known.flatMap { field -> [String] in
      let option = "--" + (field.option ?? "none")
      if field.shape == .flag { return [option] }
      return texts(fields[field.name] ?? .null, field.name).map { "\(option)=\($0)" }
    }
  }

  private static func parameters(_ fields: [String: JSONValue]) -> [RequestHead.Parameter] {
    fields.sorted { $0.key < $1.key }.flatMap { name, value in
      texts(value, name).map { RequestHead.Parameter(name: name, value: $0, list: [$0]) }
    }
  }
}
