/// What each witness says about an entity, in log-odds by the general calibration.
package struct Testimony: Sendable, Hashable {
  /// Everything but the labels and the text of the query.
  var image: Double
  var labels: Double
  var text: Double
  /// The standard deviations by which its vector is nearer than those of the catalogue are; they say nothing by themselves in general.
  var vector: Double

  /// The log-odds by the general calibration.
  var general: Double { image + labels + text }

  init(image: Double, labels: Double = 0, text: Double = 0, vector: Double = 0) {
    (self.image, self.labels, self.text, self.vector) = (image, labels, text, vector)
  }

  init(_ evidence: [Evidence]) {
    self.init(image: 0)
    for term in evidence {
      switch term.kind {
      case .fit: continue
      case .labels: labels += term.weight
      case .text: text += term.weight
      default: image += term.weight
      }
      if term.kind == .embedding { vector = term.value }
    }
  }
}

/// What a shop has taught about its confidences is applied here, and nowhere else: after the search, to the log-odds of each entity that it found, and
/// before anything is made of them. So the search goes the same way with it and without.
///
/// The map never falls if a witness says more. What is as sure as an answer shows stays so: a hundred photos say little about it, and a copy is a copy in
/// every shop. So does an early end, which such an entity brings.
extension ShopFit {
  /// The log-odds below ``Calibration/highestShown`` within which a fit that lowers counts less and less.
  private static let fading = 2.0

  /// The log-odds of an entity after the fit.
  func logOdds(of seen: Testimony) -> Double {
    let fitted =
      self[.prior]
      + self[.temperature] * (seen.image + self[.labels] * seen.labels + self[.text] * seen.text)
      + self[.vector] * seen.vector
    let (general, highest) = (seen.general, Calibration.highestShown)
    if fitted >= general { return isCareful ? general : min(fitted, max(general, highest)) }
    let share = max(0, min(1, (highest - general) / Self.fading))
    return general + share * (fitted - general)
  }

  /// A Boolean value that indicates whether something without text and vectors may be sure that is not so in general: a search must not end before it
  /// has seen that.
  var canMakeSure: Bool {
    let cutOff = Calibration.logOdds(of: Calibration.defaultCutOff)
    return vectors == nil && !isCareful
      && (self[.labels] != 1 || self[.prior] + self[.temperature] * cutOff > cutOff)
  }

  /// True if it corrects the calibration of this program.
  package var isOfThisCalibration: Bool { calibration == Calibration.mark }

  /// Returns an entity with its confidence after the fit. Entities without an image, and those whose code was read, stay as they are.
  func applied(to entity: ScoredEntity) -> ScoredEntity {
    guard entity.isFitted else { return entity }
    let seen = Testimony(entity.evidence)
    var fitted = entity
    fitted.evidence.append(
      Evidence(
        kind: .fit, value: Calibration.probability(ofLogOdds: seen.general),
        weight: logOdds(of: seen) - seen.general))
    fitted.confidence = Calibration.confidence(fitted.evidence)
    return fitted
  }
}

extension ScoredEntity {
  /// True if a fit changes the confidence.
  var isFitted: Bool { image != nil && tier != .code }

  /// The evidence by the general calibration.
  var evidenceWithoutFit: [Evidence] { evidence.filter { $0.kind != .fit } }
}

extension QueryState {
  /// The candidate entities with their confidences in this shop: as ``Standings/entities``, in the same kind of order.
  var fitted: [ScoredEntity] {
    // A fit to own images counts with vectors, too: it only makes a shop more careful.
    guard let fit = query.fit, fit.isCareful || fit.vectors == comparedVectors else {
      return standings.entities
    }
    let entities = standings.entities.map(fit.applied)
    let places = entities.indices.filter { entities[$0].isFitted }
    let sorted = places.map { entities[$0] }.sorted {
      ($1.confidence, $0.key) < ($0.confidence, $1.key)
    }
    var result = entities
    for (place, entity) in zip(places, sorted) { result[place] = entity }
    return result
  }

  /// The model whose vectors were compared, or `nil` if none were.
  var comparedVectors: String? {
    findings.searches.contains(where: \.comparison.comparesEmbeddings) ? query.vectors : nil
  }
}

extension Matcher {
  /// Returns the fit that may hold for a question, or `nil` if there is none: it is made for images of anything, and for the calibration of
  /// the program.
  func fit(of options: MatchOptions) -> ShopFit? {
    guard options.subject == .anything else { return nil }
    // A fit of labelled photos counts before that of the shop's own images.
    return [(fits ?? catalogue.fits).current, fits == nil ? catalogue.null?.fit : nil].lazy
      .compactMap { $0 }.first { $0.isOfThisCalibration }
  }
}

extension Calibration {
  /// The number to be raised when a confidence changes though no coefficient does.
  private static let revision = 2

  /// The mark of the general calibration: another one after any change of its coefficients, or of those that a fit may have.
  package static let mark: String = {
    let names = ShopFit.Coefficient.allCases.map(\.rawValue).joined(separator: " ")
    let text = "\(revision) \(names) \(coefficients(for: .anything))"
    return SHA256.hash(Array(text.utf8)).prefix(4).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }()
}
