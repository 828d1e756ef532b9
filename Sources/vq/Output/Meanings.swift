import VisualQuery

extension Evidence.Kind {
  /// The meaning of a term, for people.
  var meaning: String {
    switch self {
    case .prior: "before any evidence"
    case .hash: "similarity of the images' hashes"
    case .color: "color similarity"
    case .texture: "texture similarity"
    case .votes: "similar keypoints"
    case .inliers: "keypoints aligned by one transform"
    case .agreement: "fraction of the visible keypoints that are aligned"
    case .alignedColor: "color similarity of the aligned regions"
    case .offColor: "aligned, but in another color"
    case .contradiction: "a part of it is of another color"
    case .inlierLead: "aligned keypoints, compared with any other entity"
    case .labels: "information in the matching labels, in bits"
    case .embedding: "similarity by the model of the embeddings, compared with the catalogue"
    case .support: "other images of it among the nearest twenty"
    case .patches: "patches that look the same where the keypoints align"
    case .text: "words that were read, compared with its own"
    case .words: "words of --text that it has"
    case .fit: "what the shop's photos taught (vq fit); the confidence without"
    case .stock: "confidence in the product that it stocks"
    case .lead: "lead over the next best entity"
    case .code: "a product code that was read"
    case .pin: "the number of the statement that says so (vq feedback)"
    }
  }
}

extension MissReason {
  /// The meaning, as part of a sentence.
  var meaning: String {
    switch self {
    case .suppressed: "somebody said that the image does not show it (vq feedback)"
    case .filteredOut: "the filters exclude it (--where, --with-label)"
    case .notIndexed: "it has no indexed image"
    case .tooFlat: "its images or the query lack detail"
    case .notACandidate: "its images were less similar than those compared in detail"
    case .shared: "many products have what agrees, so that it proves none"
    case .failedGeometry: "too few of its keypoints align with the query"
    case .belowCutOff: "it was found, but its confidence is below the cut-off"
    case .outranked: "other entities have a higher confidence"
    case .capped: "the limits on the number of matches omitted it"
    case .hidden: "a rule of the shop hides it (vq rules)"
    }
  }
}
