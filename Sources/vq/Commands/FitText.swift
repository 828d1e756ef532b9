import VisualQuery

/// A verdict, or the fits of an index, as text and as JSON.
struct FitText {
  let console: Console

  /// Writes a verdict.
  func write(_ verdict: FitVerdict, isStored: Bool, index: String, _ generation: Int) throws {
    let photos = DisplayText.count(verdict.present, "photo", "photos")
    let products = DisplayText.count(verdict.products, "product", "products")
    try console.output.writeLine(
      "\(photos) of \(products), \(verdict.absent) of what the shop lacks\n")
    try write(figures(verdict))
    let interval = verdict.interval
    try console.output.writeLine(
      "\nThe log loss falls by \(Self.signed(verdict.gain)); "
        + "for 95 of 100 samples of the products by \(Self.signed(interval.lowerBound)) to \(Self.signed(interval.upperBound)).\n"
    )
    try write(coefficients(verdict.fit))
    try console.output.writeLine("\n" + conclusion(verdict, isStored, index, generation))
  }

  private func figures(_ verdict: FitVerdict) -> TextTable {
    var table = TextTable(columns: [
      .init("UNSEEN PRODUCTS", minimumWidth: 15), .init("BEFORE", .right), .init("AFTER", .right),
    ])
    func row(_ name: String, _ value: (FitVerdict.Figures) -> Double?) {
      table.append([
        name, EvaluationText.share(value(verdict.before)),
        EvaluationText.share(value(verdict.after)),
      ])
    }
    func share(_ count: Int, _ all: Int) -> Double? { all == 0 ? nil : Double(count) / Double(all) }
    row("first answer correct") { share($0.firstRight, verdict.present) }
    row("correct above the cut-off") { share($0.shownRight, verdict.present) }
    row("wrong above the cut-off") { share($0.shownWrong, verdict.present) }
    row("wrong of what is shown") { $0.wrongShare }
    row("something shown if the shop lacks it") { share($0.absentShown, verdict.absent) }
    row("… if the shop lacked these products") { share($0.withoutOwnShown, verdict.present) }
    row("log loss") { $0.logLoss }
    return table
  }

  /// Writes a verdict on the shop's own images.
  func write(_ verdict: NullVerdict, isStored: Bool, index: String, _ generation: Int) throws {
    let null = verdict.null
    let asked = DisplayText.count(null.withoutOwn.of, "photo", "photos")
    let unavailable =
      null.unavailable == 0
      ? "" : "; \(DisplayText.count(null.unavailable, "image", "images")) cannot be opened"
    try console.output.writeLine("\(asked) of the shop's own images asked\(unavailable)\n")
    var table = TextTable(columns: [
      .init("UNSEEN THINGS", minimumWidth: 15), .init("BEFORE", .right), .init("AFTER", .right),
    ])
    func row(_ name: String, _ value: (NullVerdict.Figures) -> CountedShare) {
      table.append([
        name, EvaluationText.share(value(verdict.before).share),
        EvaluationText.share(value(verdict.after).share),
      ])
    }
    row("sure of a thing that the shop lacks") { $0.withoutOwn }
    row("… if it lacks its variants, too") { $0.withoutGroup }
    row("sure and right if the shop has it") { $0.present }
    row("photos in general that are shown") { $0.general }
    try write(table)
    try console.output.writeLine("")
    if verdict.outcome == .better || verdict.outcome == .notBetter {
      try console.output.writeLine("prior \(Self.signed(verdict.fit[.prior]))\n")
    }
    try console.output.writeLine("Own images: \(OwnImagesText(null).text).")
    try console.output.writeLine(conclusion(verdict, isStored, index, generation))
  }

  private func conclusion(
    _ verdict: NullVerdict, _ isStored: Bool, _ index: String, _ generation: Int
  ) -> String {
    let what =
      switch verdict.outcome {
      case .better: "A fit makes the shop careful."
      case .notNeeded: "No fit is needed."
      case .tooFew: "No fit: that needs \(NullVerdict.leastQuestions) photos."
      case .notBetter: "No fit: the gain may be chance, or it would hide too much."
      }
    let stored =
      isStored
      ? " Stored; \(DisplayText.escaped(index)) is now at generation \(generation)."
      : " Nothing is stored."
    return what + stored
  }

  private func coefficients(_ fit: ShopFit) -> TextTable {
    var table = TextTable(
      columns: [
        .init("NUMBER", minimumWidth: 11), .init("IN GENERAL", .right), .init("HERE", .right),
      ])
    for name in ShopFit.Coefficient.allCases {
      table.append([name.rawValue, Self.signed(name.general), Self.signed(fit[name])])
    }
    return table
  }

  private func conclusion(
    _ verdict: FitVerdict, _ isStored: Bool, _ index: String, _ generation: Int
  ) -> String {
    switch verdict.outcome {
    case .better where isStored:
      "Stored; \(DisplayText.escaped(index)) is now at generation \(generation). 'vq fit --undo' takes it back."
    case .better: "Better; nothing is stored (--dry-run)."
    case .tooFew:
      "Nothing is stored: a fit needs \(FitVerdict.leastPhotos) photos of \(FitVerdict.leastProducts) products."
    case .notBetter: "Nothing is stored: the gain may be chance."
    case .worse:
      "Nothing is stored: more of what is shown would be wrong than chance explains, in: "
        + verdict.worseAt.map(DisplayText.escaped).joined(separator: ", ") + "."
    }
  }

  private func write(_ table: TextTable) throws {
    for line in table.lines(width: console.width, usesColor: console.usesColor) {
      try console.output.writeLine(line)
    }
  }

  /// Writes the fits of an index.
  // Not inlined: the optimizer of Swift 6.3.1 crashes on an async function that contains it.
  @inline(never)
  func show(_ fits: ShopFits, own: ShopNull?, isJSON: Bool) throws {
    let document = FitsDocument(fits, own: own)
    if isJSON { return try console.output.writeJSON(document) }
    let counts = document.counts
    try showLabelled(fits, counts)
    guard let own else { return }
    try console.output.writeLine("\nOwn images: \(OwnImagesText(own).text).")
    guard let fit = own.fit else { return }
    try console.output.writeLine(
      "Its fit: prior \(Self.signed(fit[.prior])), and nothing becomes surer.")
    if !fit.isOfThisCalibration {
      try console.output.writeLine("It does not count: it belongs to another calibration.")
    } else if counts {
      try console.output.writeLine("It does not count: the fit of labelled photos does.")
    }
  }

  private func showLabelled(_ fits: ShopFits, _ counts: Bool) throws {
    guard let current = fits.current else { return try console.output.writeLine("No fit.") }
    var columns = [TextTable.Column("NUMBER", minimumWidth: 11), .init("IN GENERAL", .right)]
    columns += fits.all.dropLast().map { _ in .init("FORMER", .right) } + [.init("HERE", .right)]
    var table = TextTable(columns: columns)
    for name in ShopFit.Coefficient.allCases {
      table.append(
        [name.rawValue, Self.signed(name.general)] + fits.all.map { Self.signed($0[name]) })
    }
    try write(table)
    let vectors =
      current.vectors.map { "the vectors of \(DisplayText.escaped($0))" } ?? "no vectors"
    let day = current.date.map { " on \($0.prefix(10))" } ?? ""
    try console.output.writeLine(
      "\nFitted\(day) to \(DisplayText.count(current.photos, "photo", "photos")) of \(DisplayText.count(current.products, "product", "products")), with \(vectors)."
        + (counts ? "" : "\nIt does not count: it belongs to another calibration."))
  }

  /// A number with three decimals, which may be below zero.
  static func signed(_ value: Double) -> String {
    let text = EvaluationText.share(abs(value))
    return value < 0 && text != "0.000" ? "-" + text : text
  }
}
