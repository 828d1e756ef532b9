import VisualQuery

/// The figures of the last run of a feed.
struct RunFigures: Sendable {
  /// The last run.
  let run: RunRecord
  /// The last run that was a success.
  let success: RunRecord?
  /// The name of the feed in labels, without the folders of this machine.
  private var name = ""

  init(run: RunRecord, success: RunRecord?) { (self.run, self.success) = (run, success) }

  /// A metric with its samples.
  struct Family {
    let name: String
    let help: String
    let samples: [(labels: String, value: String)]
  }

  /// Returns the metrics of the last runs of all feeds.
  static func families(of all: [RunFigures]) -> [Family] {
    let figures = named(all)
    func family(
      _ name: String, _ help: String, _ samples: (RunFigures) -> [(String, String)]
    ) -> Family {
      Family(name: "vq_index_" + name, help: help, samples: figures.flatMap(samples))
    }
    return [
      family(
        "last_run_timestamp_seconds",
        "When the last run of vq index ended, or began if it has not ended, in Unix time."
      ) { [("{\($0.label)}", "\($0.run.time)")] },
      family(
        "last_run_success",
        "1 if the last run was a success, by its outcome; 0 if values were kept, it failed or has not ended."
      ) { figures in
        let outcome = figures.run.outcome?.rawValue ?? "unfinished"
        let isSuccess = figures.run.outcome?.isSuccess == true
        return [("{\(figures.label),outcome=\"\(outcome)\"}", isSuccess ? "1" : "0")]
      },
      family(
        "last_success_timestamp_seconds", "When the last successful run ended, in Unix time."
      ) { figures in
        figures.success.map { [("{\(figures.label)}", "\($0.time)")] } ?? []
      },
      family("kept_values", "Entities with an old value, by the field.") { figures in
        figures.samples(\.kept) { $0 > 0 }
      },
      family("coverage", "Entities that have a field after the last run; entities are all of them.")
      { figures in figures.samples(\.after) { _ in true } },
    ]
  }

  /// Names feeds by the last part of their paths; of several with the same one, the further ones have a number, too.
  private static func named(_ all: [RunFigures]) -> [RunFigures] {
    var counts: [Substring: Int] = [:]
    return all.map { figures in
      var figures = figures
      let last = figures.run.feed.split(separator: "/").last ?? ""
      counts[last, default: 0] += 1
      let count = counts[last] ?? 1
      figures.name = String(last) + (count > 1 ? " (\(count))" : "")
      return figures
    }
  }

  private var label: String { "feed=\"\(Self.escaped(name))\"" }

  private func samples(
    _ counts: KeyPath<RunRecord.Result, Coverage>, where isShown: (Int) -> Bool
  ) -> [(String, String)] {
    guard let coverage = (run.result ?? success?.result)?[keyPath: counts] else { return [] }
    return EntityType.allCases.flatMap { type in
      CoverageField.all(of: type).compactMap { field in
        let count = coverage[type, field]
        guard isShown(count), coverage[type, .entities] > 0 || count > 0 else { return nil }
        return ("{\(label),type=\"\(type.rawValue)\",field=\"\(field.rawValue)\"}", "\(count)")
      }
    }
  }

  /// Returns a value of a label as the format of Prometheus has it.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in DisplayText.escaped(text) {
      switch character {
      case "\\": escaped += #"\\"#
      case "\"": escaped += #"\""#
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
