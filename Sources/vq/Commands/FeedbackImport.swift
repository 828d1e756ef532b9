#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// Adds the statements of an export, some hundred in one transaction. If one of them cannot be added, those
/// before it are, and the error says how many.
struct FeedbackImport {
  private let file: String
  private let kept: KeptFeedback
  private var waiting: [(line: Int, addition: KeptFeedback.Addition)] = []
  private var waitingBytes = 0
  /// The number of statements that were added.
  private var count = 0

  /// The most statements of a transaction.
  private static let batchLimit = 500
  /// The number of bytes of lines that ends a batch.
  private static let batchBytes = 16_000_000

  init(of file: String, into kept: KeptFeedback) {
    self.file = file
    self.kept = kept
  }

  /// Adds the statements of all lines.
  ///
  /// - Returns: The number of those that were not there before.
  consuming func run(_ bytes: [UInt8]) throws -> Int {
    for (index, line) in bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() where !line.isEmpty {
      do {
        let statement = try ExportedStatement(json: Array(line))
        waiting.append((index + 1, try statement.addition))
      } catch {
        try add()
        throw failure(error, line: index + 1)
      }
      waitingBytes += line.count
      if waiting.count >= Self.batchLimit || waitingBytes >= Self.batchBytes { try add() }
    }
    try add()
    return count
  }

  /// Adds the statements that wait.
  private mutating func add() throws {
    if waiting.isEmpty { return }
    let added: KeptFeedback.Added
    do throws(CatalogueError) {
      added = try kept.add(waiting.map(\.addition))
    } catch {
      throw CommandFailure(
        VQ.exitCode(for: error), error.message,
        advice: ["\(soFar) before; import the file again to add the rest"])
    }
    count += added.statements.count { $0.isNew }
    if let refusal = added.refusal {
      throw failure(refusal, line: waiting[added.statements.count].line)
    }
    waiting = []
    waitingBytes = 0
  }

  private var soFar: String { "\(DisplayText.count(count, "statement", "statements")) imported" }

  private func failure(_ error: any Error, line: Int) -> CommandFailure {
    let reason =
      switch error {
      case let error as FeedbackError: error.message
      case let error as SignatureError: error.message
      default: "it is not a statement of 'vq feedback export'"
      }
    return CommandFailure(
      .failure, "'\(file)', line \(line): \(reason)",
      advice: ["\(soFar), those of the lines before it"])
  }
}

/// A statement as `vq feedback export` writes it.
struct ExportedStatement: Codable {
  let state: FeedbackStatement.State
  let time: Int
  let author: String?
  let labels: [String]
  let signature: String?
  let chosen: String?
  let rejected: [String]
  /// The image as a JPEG file.
  let image: Data?

  init(_ statement: FeedbackStatement, image: [UInt8]?) {
    state = statement.state
    time = statement.time
    author = statement.author
    labels = statement.content.query.labels
    signature = statement.content.query.signatureText
    chosen = statement.content.chosen?.description
    rejected = statement.content.rejected.map(\.description)
    self.image = image.map { Data($0) }
  }

  init(json: [UInt8]) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(json))
  }

  /// The statement, to be added.
  var addition: KeptFeedback.Addition {
    get throws {
      func id(_ text: String) throws -> EntityID {
        guard let id = EntityID(text) else {
          throw FeedbackError(
            code: .nothingSaid,
            message: "'\(text)' is not an id; expected for example product:mug-red")
        }
        return id
      }
      let content = try FeedbackStatement.Content(
        query: FeedbackQuery(labels: labels, signatureText: signature), chosen: chosen.map(id),
        rejected: rejected.map(id))
      return KeptFeedback.Addition(
        content, state: state, author: author, time: time, image: image.map { Array($0) })
    }
  }
}
