/// The coefficients of text, which `vq eval --calibrate` does not fit: they were chosen on photos of packages, with and without a third of
/// the entities, and of bottles (docs/models.md, "Asking", has the figures).
extension Calibration {
  /// The factor of the agreement in the score.
  private static let textScore = 2.0
  /// The factors of the agreement and of the contradiction in the log-odds.
  private static let (textWeight, contradictionWeight) = (0.35, 1.5)

  /// Returns what the text of an image adds to the score of an entity.
  static func score(ofText agreements: TextAgreements, _ key: UInt32) -> Double {
    textScore * agreements.agreement(with: key)
  }

  /// Returns the term of the text of an image in an entity's log-odds.
  ///
  /// - Parameter part: The part of the image that the entity's image lies in, or `nil` if it is not known.
  static func evidence(
    ofText agreements: TextAgreements, _ key: UInt32, within part: PictureRegion? = nil
  ) -> Evidence {
    let agreement = agreements.agreement(with: key)
    let contradiction =
      part.map { agreements.contradiction(with: key, within: $0) }
      ?? agreements.contradiction(with: key)
    return Evidence(
      kind: .text, value: agreement,
      weight: textWeight * agreement - contradictionWeight * contradiction)
  }

  /// Returns the terms of an entity that only text has found.
  ///
  /// - Parameter lead: The lead of its agreement over that of the next best entity, or what it is behind the best.
  static func evidence(onlyOfText agreements: TextAgreements, _ key: UInt32, lead: Double)
    -> [Evidence]
  {
    let lead = max(-3, min(3, textScore * lead))
    return [
      Evidence(kind: .prior, value: 1, weight: coefficients.prior(isAlone: false)),
      evidence(ofText: agreements, key),
      Evidence(kind: .lead, value: lead, weight: coefficients.lead * lead),
    ]
  }
}
