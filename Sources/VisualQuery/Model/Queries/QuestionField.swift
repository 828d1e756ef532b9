extension Question {
  /// A way in which a question is asked, by which fields are given.
  package enum Door: Sendable, Hashable, CaseIterable {
    /// An option of a command line.
    case argument
    /// A parameter of the query beside a raw image.
    case query
    /// JSON beside an image, in a form.
    case form
    /// JSON without an image.
    case json
    /// The token of an earlier answer.
    case token
  }

  /// The part that a field has in a question.
  package enum Role: Sendable, Hashable {
    /// The field is part of what is searched with. A continuation keeps the value of its first search.
    case content
    /// The field restricts what is found. A continuation keeps the value of its first search.
    case filter
    /// The field restricts what is found. Given with a continuation, it restricts its list further.
    case narrowing
    /// The field is about one page or answer, so it may be given with a continuation.
    case page
    /// The continuation of a search.
    case continuation
  }
}

/// A field of a question with the type of its value.
package struct QuestionField<Value: Sendable>: Sendable {
  /// The name in a query, a form and JSON.
  package let name: String
  /// The name as an option of a command, or `nil` if no command has it.
  package let option: String?
  /// The values.
  package let kind: QuestionKind<Value>
  /// The value that counts if the field is not given, as far as one is documented.
  package let standard: JSONValue?
  /// The role of the field in a question.
  package let role: Question.Role
  /// The parts of entities that the field looks at; none if it is about the answer or the person only.
  package let looksAt: [Question.Look]
  /// The places where the field may stand.
  package let doors: Set<Question.Door>
  let parts: [ContinuedQuestion.Part]
  private let path: any WritableKeyPath<Question, Value?> & Sendable
  private let applied: @Sendable (Value, inout MatchOptions) -> Void

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - path: The value in a question.
  ///   - looksAt: The parts of entities that it looks at. A field that filters by properties names them here.
  ///   - doors: The places where the field may stand, apart from the command line.
  ///   - parts: The parts of a token that hold the field.
  ///   - apply: Sets the options that the field asks for.
  init(
    _ name: String, option: String? = nil, _ kind: QuestionKind<Value>,
    _ path: any WritableKeyPath<Question, Value?> & Sendable, _ role: Question.Role,
    looksAt: [Question.Look], in doors: Set<Question.Door>, standard: JSONValue? = nil,
    token parts: [ContinuedQuestion.Part] = [],
    apply: @escaping @Sendable (Value, inout MatchOptions) -> Void = { _, _ in }
  ) {
    self.name = name
    self.option = option
    self.kind = kind
    self.path = path
    self.role = role
    self.looksAt = looksAt
    self.doors = doors.union(option == nil ? [] : [.argument]).union(parts.isEmpty ? [] : [.token])
    self.standard = standard
    self.parts = parts
    applied = apply
  }
}

/// A field of a question, whatever the type of its value.
package protocol AnyQuestionField: Sendable {
  /// The name in a query, a form and JSON.
  var name: String { get }
  /// The name as an option of a command, or `nil` if no command has it.
  var option: String? { get }
  /// The shape of the values.
  var shape: QuestionShape { get }
  /// The value that counts if the field is not given, as far as one is documented.
  var standard: JSONValue? { get }
  /// The role of the field in a question.
  var role: Question.Role { get }
  /// The parts of entities that the field looks at; none if it is about the answer or the person only.
  var looksAt: [Question.Look] { get }
  /// The places where the field may stand.
  var doors: Set<Question.Door> { get }
  /// The parts of a token that hold the field.
  var tokenParts: [ContinuedQuestion.Part] { get }

  /// Reads a value into a question.
  ///
  /// - Throws: ``QuestionError`` that names the field.
  func read(_ given: GivenValue, into question: inout Question) throws(QuestionError)

  /// Sets the options that a question asks for by this field.
  func apply(_ question: Question, to options: inout MatchOptions)
}

extension QuestionField: AnyQuestionField {
  package var shape: QuestionShape { kind.shape }
  package var tokenParts: [ContinuedQuestion.Part] { parts }

  package func read(_ given: GivenValue, into question: inout Question) throws(QuestionError) {
    question[keyPath: path] = try value(given)
  }

  /// Reads a value. Returns `nil` if the text means that there is none.
  ///
  /// - Throws: ``QuestionError`` that names the field.
  package func value(_ given: GivenValue) throws(QuestionError) -> Value? {
    do throws(QuestionError) {
      return try kind.value(given)
    } catch {
      throw error.within(name)
    }
  }

  package func apply(_ question: Question, to options: inout MatchOptions) {
    if let value = question[keyPath: path] { applied(value, &options) }
  }
}
