import HTTPServer
import VisualQuery

/// The question of `POST /v1/match`.
extension Question {
  /// Reads all fields of a request.
  ///
  /// - Parameters:
  ///   - hasPicture: True if the request has an image; then it cannot have a continuation or a signature.
  ///   - language: The language that the client prefers, which counts if the question does not name one.
  init(
    _ fields: RequestFields, hasPicture: Bool, language: String?, searchesByWords: Bool = false
  ) throws(Problem) {
    self.init()
    var fields = fields
    let door: Question.Door = fields.isQuery ? .query : hasPicture ? .form : .json
    if door == .json {
      try fields.read([Question.continuation], into: &self)
      if continuation != nil {
        try fields.read(Question.fields([.page, .narrowing, .continuation], in: door), into: &self)
        try fields.refuse(
          Question.fields.filter { [.content, .filter].contains($0.role) },
          "has no effect beside 'continuation'")
        try fields.finish()
        return
      }
      try fields.refuse(
        Question.fields([.continuation], in: door), "requires 'continuation'")
    }
    try fields.read(Question.fields(in: door), into: &self)
    try fields.finish()
    do throws(QuestionError) { try check() } catch { throw fields.problem(error) }
    locale = locale ?? language
    guard
      hasPicture || signature != nil || labels?.isEmpty == false || codes?.isEmpty == false
        || texts?.isEmpty == false || searchesByWords && text?.isEmpty == false
    else {
      throw Problem(
        .nothingAsked,
        "there is no picture, and none of labels, codes, texts, signature and continuation"
          + (text == nil
            ? ""
            : "; 'text' alone requires a model that encodes words, which this service lacks; 'q' of /v1/entities searches words")
      )
    }
  }

  /// Reads some fields of another request than a match, in which they have the same meaning.
  init(
    _ list: [any AnyQuestionField], of fields: inout RequestFields
  ) throws(Problem) {
    self.init()
    try fields.read(list, into: &self)
    do throws(QuestionError) { try check() } catch { throw fields.problem(error) }
  }
}

extension RequestFields {
  /// Reads fields of a question as far as they are given.
  mutating func read(
    _ list: [any AnyQuestionField], into question: inout Question
  ) throws(Problem) {
    for field in list {
      guard let given = value(of: field.name) else { continue }
      do throws(QuestionError) {
        try field.read(given, into: &question)
      } catch {
        throw problem(error)
      }
    }
  }

  /// Rejects the first of some fields that is given.
  func refuse(_ list: [any AnyQuestionField], _ reason: String) throws(Problem) {
    try refuse(list.map(\.name), reason)
  }
}

extension DeadlineLimits {
  /// Reads the deadline of a question, for its admission.
  func deadline(of fields: RequestFields) throws(Problem) -> Duration {
    var fields = fields
    return deadline(try Question([Question.deadline], of: &fields).deadline)
  }
}
