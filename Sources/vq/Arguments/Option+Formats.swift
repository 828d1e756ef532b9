import PixelMatch

extension Option<Set<ImageFormat>> {
  /// Formats of images with commas between them, or `all`; a repeated list replaces the one before.
  static func formats(_ text: OptionText, default standard: Set<ImageFormat>) -> Self {
    let words = ImageFormat.allCases.map(\.rawValue)
    let value = ValueDescription(
      placeholder: "LIST",
      accepts: "all, or formats between commas: " + words.joined(separator: ","),
      completion: .words(words + ["all"]))
    let names =
      standard == ImageFormat.all
      ? "all that are installed"
      : words.filter { ImageFormat(rawValue: $0).map(standard.contains) == true }
        .joined(separator: ",")
    return Self(text, value: value, standard: names, initial: standard) {
      text -> Set<ImageFormat>? in
      if text == "all" { return ImageFormat.all }
      let parts = text.split(separator: ",").map { $0.lowercased() }
      // File extensions that differ from the name of the format.
      let aliases = ["jpg": "jpeg", "heif": "heic"]
      let formats = parts.compactMap { ImageFormat(rawValue: aliases[$0] ?? $0) }
      return formats.isEmpty || formats.count < parts.count ? nil : Set(formats)
    }
  }
}
