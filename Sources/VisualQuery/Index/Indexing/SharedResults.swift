internal import PixelMatch
internal import Synchronization

/// The results of computations that several tasks may want: one computes, and the others wait for it.
final class SharedResults<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var known: RecentValues<Key, Result<Value, DecodeError>>
    /// The tasks that wait for a result.
    var underWay: [Key: [CheckedContinuation<Void, Never>]] = [:]
  }

  private enum Place {
    case known(Result<Value, DecodeError>)
    case ours, others
  }

  private let state: Mutex<State>

  /// - Parameter costLimit: The largest cost of the results that are kept.
  init(costLimit: Int) { state = Mutex(State(known: RecentValues(costLimit: costLimit))) }

  /// Returns the result for a key, which is computed the first time.
  ///
  /// - Returns: The result, and true if it was computed now.
  func result(
    of key: Key, cost: (Value) -> Int, _ compute: () throws(DecodeError) -> Value
  ) async throws(DecodeError) -> (Value, isNew: Bool) {
    while true {
      switch place(of: key) {
      case .known(let result): return (try result.get(), false)
      case .others: await waitForOthers(key)
      case .ours:
        let result = Result { () throws(DecodeError) in try compute() }
        finish(key, result, cost)
        return (try result.get(), true)
      }
    }
  }

  private func place(of key: Key) -> Place {
    state.withLock { state in
      if let known = state.known[key] { return .known(known) }
      if state.underWay[key] != nil { return .others }
      state.underWay[key] = []
      return .ours
    }
  }

  private func waitForOthers(_ key: Key) async {
    await withCheckedContinuation { waiter in
      let isUnderWay = state.withLock { state in
        state.underWay[key]?.append(waiter)
        return state.underWay[key] != nil
      }
      if !isUnderWay { waiter.resume() }
    }
  }

  private func finish(_ key: Key, _ result: Result<Value, DecodeError>, _ cost: (Value) -> Int) {
    let waiters = state.withLock { state in
      switch result {
      case .success(let value): state.known.insert(result, for: key, cost: cost(value))
      // One that was cancelled says nothing about the image.
      case .failure(let error) where error.code == .cancelled: break
      case .failure: state.known.insert(result, for: key, cost: 1)
      }
      return state.underWay.removeValue(forKey: key) ?? []
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// The values that were added last, up to a cost.
struct RecentValues<Key: Hashable, Value> {
  private let costLimit: Int
  private var cost = 0
  private var values: [Key: (value: Value, cost: Int)] = [:]
  /// The keys in the order in which they were added, and the index of the oldest one.
  private var keys: [Key] = []
  private var oldest = 0

  init(costLimit: Int) { self.costLimit = costLimit }

  subscript(key: Key) -> Value? { values[key]?.value }

  /// Adds a value for a key that has none.
  mutating func insert(_ value: Value, for key: Key, cost: Int) {
    guard values[key] == nil, cost <= costLimit else { return }
    values[key] = (value, cost)
    keys.append(key)
    self.cost += cost
    while self.cost > costLimit {
      self.cost -= values.removeValue(forKey: keys[oldest])?.cost ?? 0
      oldest += 1
    }
    if oldest > keys.count / 2 {
      keys.removeFirst(oldest)
      oldest = 0
    }
  }
}
