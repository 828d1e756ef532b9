/// The facts about a whole product in the record of one of its looks.
struct FamilyPart: Sendable, Hashable {
  /// The product, by its first line and its id: its looks follow each other.
  let key: String
  /// The ids of variants that were left out because the product has more of them than a row may. Their entities are not missing in
  /// the feed, so that they are not removed.
  var omittedIDs: [String] = []
  /// The longest field that all looks repeat, if that makes them much larger than the rows that they are from.
  var repeatedField: String?
}

/// The parts of a family that are left out, because a row may not have as many.
struct FamilyOmissions: Sendable {
  /// The variants beyond the largest number.
  var variantCount = 0
  /// The variants for which the allowance of bytes is too small.
  var largeVariantCount = 0
  /// The images for which the allowance of bytes is too small.
  var imageCount = 0
  /// The ids of the variants.
  var ids: [String] = []

  /// Returns warnings that say what was found, and how much of it is read.
  func warnings(of family: ProductFamily) -> [FieldError] {
    let limits = family.allowance.limits
    let found = family.variants.count + variantCount + largeVariantCount
    var warnings: [FieldError] = []
    if variantCount > 0 {
      warnings.append(
        FieldError(
          field: "variants",
          reason: "has \(found) variants; the limit of a row is \(limits.variantCount) "
            + "(--max-row-variants), and the first \(limits.variantCount) are read"))
    }
    if largeVariantCount > 0 || imageCount > 0 {
      let count = largeVariantCount > 0 ? largeVariantCount : imageCount
      let parts = largeVariantCount > 0 ? "variants" : "images"
      warnings.append(
        FieldError(
          field: parts,
          reason:
            "would become more than \(limits.rowByteCount) bytes, which is the limit of a row "
            + "(--max-row-bytes); \(count) of its \(parts) are left out"))
    }
    return warnings
  }
}
