import VisualQuery

/// `vq index --signed`: indexes the output of `vq sign`.
enum SignedIndexing {
  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    try arguments.refuse(otherOptions, with: "--signed")
    let index = arguments[IndexCommand.index]
    let directory = try await IndexLocation.directory(of: index, arguments, console)
    let removalLimit = try IndexCommand.removalLimit(of: arguments)
    var settings = try IndexCommand.settings(of: arguments)
    settings.imagesRoot = arguments[IndexCommand.imagesRoot]
    let elapsed = ProgressLine.stopwatch()
    let rejections = RejectionSummary()
    let refusals = try IndexCommand.refusedRowsFile(arguments, directory)
    let result: Indexer.Progress
    do {
      result = try await CatalogueUpkeep(directory: directory).indexing(
        signed: arguments.operands, name: arguments[IndexCommand.feedName], settings: settings,
        prunesMissing: arguments[IndexCommand.pruneMissing],
        removalLimit: removalLimit
      ) {
        rejections.add($0)
        if $0.kind != .entity { refusals?.append($0) }
      }
    } catch {
      for text in rejections.lines { console.diagnostics.warning(text) }
      try refusals?.close(isWhole: false)
      guard error is CancellationError else { throw error }
      throw CommandFailure(
        .interrupted, "interrupted; the work so far is saved",
        advice: ["to continue, run the same command again"])
    }
    for text in rejections.lines { console.diagnostics.warning(text) }
    try refusals?.close(isWhole: true)
    if result.generation > 0 {
      try IndexCommand.warnOfAbsentFields(of: settings, in: directory, on: console)
    }
    let summary = IndexDocument(
      result, elapsed: elapsed(), isDryRun: false, unlisted: refusals?.omittedCount)
    if arguments[IndexCommand.json] {
      try console.output.writeJSON(summary)
    } else if !arguments[IndexCommand.quiet] {
      try console.output.writeLine(summary.sentence(directory: index))
    }
    if let failure = IndexCommand.failure(of: result) { throw failure }
    return IndexCommand.exitCode(
      summary.outcome, isDetailed: arguments[IndexCommand.detailedExitCode])
  }

  /// The options of a feed's run that a run of signed rows does not have.
  private static let otherOptions = [
    IndexCommand.dryRun.description, IndexCommand.strict.description,
    IndexCommand.fetch.description, IndexCommand.onConflict.description,
    IndexCommand.acceptFeed.description, IndexCommand.thumbnails.description,
    IndexCommand.report.description,
    TextModels.models.description,
  ]
}
