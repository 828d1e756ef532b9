#if Codecs
  internal import CImage

  extension ImageDecoder {
    /// Lets this process decode images for another program, once it works for one.
    package static func registerWork() { ci_register_work() }
  }

  extension ImageFormat {
    /// A Boolean value that indicates whether images of the format can be decoded on this machine.
    /// The library is loaded when this is first asked, by the processes that run it if there are any.
    public var isReadable: Bool { library.map { ci_library_load($0) } ?? true }

    /// The library to be loaded, or `nil` for the formats whose libraries are linked.
    private var library: ci_library? {
      switch self {
      case .jpeg, .png: nil
      case .webp: CI_WEBP
      case .avif: CI_AVIF
      case .heic: CI_HEIC
      case .gif: CI_GIF
      }
    }

    /// The Debian packages that decode the format.
    private var packages: String {
      switch self {
      case .jpeg: "libjpeg62-turbo"
      case .png: "libpng16-16"
      case .webp: "libwebp7"
      case .avif: "libheif1 (and libheif-plugin-dav1d, if there is one)"
      case .heic: "libheif1 (and libheif-plugin-libde265, if there is one)"
      case .gif: "libgif7"
      }
    }

    /// Checks that the library of the format is installed.
    ///
    /// - Parameter accepted: The formats that the message of an error recommends.
    /// - Throws: ``DecodeError`` with the code `unsupportedFormat`.
    func checkLibrary(accepting accepted: Set<ImageFormat>) throws(DecodeError) {
      if isReadable { return }
      throw DecodeError(
        code: .unsupportedFormat,
        message: """
          \(name) needs a library that is not installed here: install the package \(packages), or \
          send \(Self.alternatives(in: accepted))
          """)
    }
  }
#endif

extension ImageFormat {
  /// The formats that can be decoded on this machine, in the order of all cases.
  public static var readable: [ImageFormat] { allCases.filter(\.isReadable) }

  /// Returns the names of the accepted formats that can be decoded here: `JPEG, PNG or WebP`.
  static func alternatives(in accepted: Set<ImageFormat>) -> String {
    let names = readable.filter(accepted.contains).map(\.name)
    guard let last = names.last, names.count > 1 else { return names.first ?? "pixels" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Checks that the format is accepted.
  ///
  /// - Throws: ``DecodeError`` with the code `unsupportedFormat`.
  func check(accepting accepted: Set<ImageFormat>) throws(DecodeError) {
    if accepted.contains(self) { return }
    throw DecodeError(
      code: .unsupportedFormat,
      message: "\(name) is not accepted here; send \(Self.alternatives(in: accepted))")
  }
}
