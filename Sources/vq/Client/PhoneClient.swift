#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import VisualQuery

/// Asks a `vq serve` as the package for apps (`Clients/Swift`) does.
struct PhoneClient: Sendable {
  /// The reason why a question has no answer, with what to do next.
  struct Failure: Error, Sendable, Hashable {
    let message: String
    var advice: [String] = []
  }

  let connection: ServiceConnection
  let key: String?
  /// The language of titles, as a BCP 47 tag.
  let language: String

  private var fields: [String: String] {
    var fields = ["Accept-Language": language]
    if let key { fields["Authorization"] = "Bearer \(key)" }
    return fields
  }

  /// Returns the number of entities that the server compares, and its cut-off.
  func size() throws -> ServedSize {
    let answer = try ask("/v1/catalogue")
    guard let size = try? JSONDecoder().decode(ServedSize.self, from: Data(answer.body)),
      (0...1).contains(size.minimumConfidence)
    else { throw strange(answer) }
    return size
  }

  /// Asks a question: a form with the image and the other fields in JSON, or only these.
  ///
  /// - Returns: The answer, and its document as it was received.
  func match(_ image: PhoneImage?, labels: [String]) throws -> (ServedAnswer, document: [UInt8]) {
    let request = JSONBody.encoded(Question(labels: labels.isEmpty ? nil : labels))
    var content = (type: "application/json", bytes: request)
    if let image {
      let boundary = "vq-\(UUID().uuidString)"
      content = (
        "multipart/form-data; boundary=\(boundary)",
        Self.form(
          [("image", "application/octet-stream", image.bytes), ("request", content.type, request)],
          boundary: boundary)
      )
    }
    let answer = try ask("/v1/match", content: content)
    guard let document = try? JSONDecoder().decode(ServedAnswer.self, from: Data(answer.body)),
      document.schema == ServedAnswer.schema,
      document.confidences.allSatisfy((0...1).contains)
    else { throw strange(answer) }
    return (document, answer.body)
  }

  /// Returns a document of the server, and its size.
  func document<Document: Decodable>(
    _ path: String, question: [UInt8]? = nil
  ) throws -> (Document, Int) {
    let answer = try ask(path, content: question.map { ("application/json", $0) })
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(answer.body)) else {
      throw strange(answer)
    }
    return (document, answer.body.count)
  }

  /// Returns the image of a card, or `nil` if it cannot be loaded.
  func image(at address: String) -> [UInt8]? { connection.image(at: address, fields: fields) }

  private struct Question: Encodable {
    let labels: [String]?
  }

  /// Returns a body of `multipart/form-data` (RFC 7578).
  private static func form(
    _ parts: [(name: String, type: String, content: [UInt8])], boundary: String
  ) -> [UInt8] {
    var body: [UInt8] = []
    for part in parts {
      body +=
        """
        --\(boundary)\r
        Content-Disposition: form-data; name="\(part.name)"\r
        Content-Type: \(part.type)\r
        \r

        """.utf8
      body += part.content
      body += "\r\n".utf8
    }
    return body + "--\(boundary)--\r\n".utf8
  }

  // MARK: Requests

  private func ask(
    _ path: String, content: (type: String, bytes: [UInt8])? = nil
  ) throws -> ServiceConnection.Answer {
    let answer: ServiceConnection.Answer
    do throws(ServiceConnection.Failure) {
      answer = try connection.ask(path, fields: fields, content: content)
    } catch {
      throw try failure(error)
    }
    if answer.status == 200 { return answer }
    if let problem = try? JSONDecoder().decode(Refusal.self, from: Data(answer.body)) {
      let pause = answer.fields["retry-after"].map { ["try again in \($0) s"] } ?? []
      let isKeyMissing = answer.status == 401 && key == nil
      throw Failure(
        message:
          "'\(connection.address)' answered \(answer.status) \(problem.code): \(problem.detail)",
        advice: isKeyMissing ? ["name the file of a key that may read: --key-file FILE"] : pause)
    }
    throw strange(answer)
  }

  /// A problem of the server (RFC 9457).
  private struct Refusal: Decodable {
    let code: String
    let detail: String
  }

  private func failure(_ error: ServiceConnection.Failure) throws -> Failure {
    switch error.code {
    case .cancelled: throw CancellationError()
    case .unreachable:
      Failure(message: error.message, advice: ["is it running? vq serve --index DIR"])
    case .tooSlow: Failure(message: error.message, advice: ["allow more time: --timeout MS"])
    case .invalidAddress, .unusable: Failure(message: error.message)
    }
  }

  private func strange(_ answer: ServiceConnection.Answer) -> Failure {
    let type = answer.fields["content-type"] ?? "nothing"
    let place = answer.fields["location"].map { ", which leads to '\($0)'" } ?? ""
    return Failure(
      message:
        "'\(connection.address)' is not answering as 'vq serve' does: found status \(answer.status) and \(type)\(place)"
    )
  }
}
