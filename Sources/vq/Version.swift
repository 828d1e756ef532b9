import PixelMatch
import VisualQuery

/// The version of the command and of the package, and of everything that it writes.
enum Version {
  /// The version, by <https://semver.org>. This is the only place: `Packaging/version` reads it from here.
  static let current = "1.0.0-rc.1"

  /// The day of the version, for the manual pages.
  static let date = "2026-11-22"

  /// The lines of `vq --version`: the version alone, then one line per fact.
  static var lines: [String] {
    [
      "vq \(current)",
      "commit: \(ProgramData.commit ?? "unknown, because it was built without docs/deploy/build.sh")",
      "signatures: version \(Signature.version)",
      "index: version \(CatalogueUpkeep.indexVersion); "
        + "'vq catalogue upgrade' converts from version \(CatalogueUpkeep.oldestUpgradeableVersion) on",
      imageFormats,
    ]
  }

  /// The formats of images that can be read here, and those whose libraries are not installed.
  private static var imageFormats: String {
    func names(_ isReadable: Bool) -> String {
      ImageFormat.allCases.filter { $0.isReadable == isReadable }.map(\.name)
        .joined(separator: ", ")
    }
    let missing = names(false)
    return "images: \(names(true))" + (missing.isEmpty ? "" : "; not installed: \(missing)")
  }
}
