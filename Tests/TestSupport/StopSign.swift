internal import Synchronization

/// A question whether to stop that counts how often it is asked, and says so from one question on.
public final class StopSign: Sendable {
  private let asked = Mutex(0)
  private let lastNo: Int

  /// - Parameter lastNo: The number of questions to which the answer is no.
  public init(after lastNo: Int = .max) { self.lastNo = lastNo }

  /// The number of questions.
  public var questions: Int { asked.withLock { $0 } }

  /// Answers a question.
  public func ask() -> Bool {
    asked.withLock { asked in
      asked += 1
      return asked > lastNo
    }
  }
}
