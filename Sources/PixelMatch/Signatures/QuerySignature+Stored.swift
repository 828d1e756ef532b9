extension QuerySignature {
  /// Makes the signature of an image of the catalogue that of a query, so that the catalogue can be searched without the image.
  ///
  /// It finds less than the image: it has no keypoints but those of the working image, coarse colors, and the hash of the image as it is, so that
  /// rotated and mirrored images and those without plain borders are found by other evidence or not at all.
  package init(_ signature: Signature) {
    let (width, height) = signature.workingSize
    let size = SIMD2(width, height)
    self.init(
      size: size,
      views: [
        View(
          origin: .zero, size: size, variants: [signature.pdq], pdqQuality: signature.pdqQuality,
          color: signature.color, layout: signature.layout, texture: signature.texture)
      ],
      keypoints: QueryKeypoints(signature.keypoints), colors: QueryColors(signature.layout),
      marks: nil)
  }
}
