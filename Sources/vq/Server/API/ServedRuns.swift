import PixelMatch
import Synchronization
import VisualQuery

/// The last runs of `vq index`, as they were last seen. The event loop asks for them, so they are read on another thread.
final class ServedRuns: Sendable {
  private struct State {
    var file: FileStatus?
    var runs: [RunRecord] = []
    var successes: [RunRecord] = []
  }

  private let history: RunHistory
  private let path: String
  private let state = Mutex(State())

  init(directory: String) {
    history = RunHistory(directory: directory)
    path = directory + "/" + RunHistory.fileName
    refresh()
  }

  /// The last run of each feed, the latest one first.
  var latest: [RunRecord] { state.withLock { $0.runs } }

  /// The figures for the metrics.
  var figures: [RunFigures] {
    state.withLock { state in
      state.runs.map { run in
        RunFigures(run: run, success: state.successes.first { $0.feed == run.feed })
      }
    }
  }

  /// Reads the runs again if their file has changed. One that cannot be read leaves what is known.
  func refresh() {
    let file = FileStatus(path)
    guard state.withLock({ $0.file != file }), let runs = try? history.latest(),
      let successes = try? history.latestSuccesses()
    else { return }
    state.withLock { $0 = State(file: file, runs: runs, successes: successes) }
  }
}
