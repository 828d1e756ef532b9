/// The names of images that were indexed from memory: `upload:` and the 16 hexadecimal digits of
/// the hash of their content. They have no file.
package enum UploadedImage {
  private static let prefix = "upload:"

  /// Returns the name of an image.
  package static func name(contentHash: Int) -> String {
    prefix + ContentTag.text(ofHash: contentHash)
  }

  /// Returns whether a name in `images` is that of an image from memory.
  package static func isName(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.utf8.starts(with: prefix.utf8) && digits.count == 16
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}

/// The text form of the hash of an image's content.
package enum ContentTag {
  /// Returns 16 hexadecimal digits.
  package static func text(ofHash hash: Int) -> String {
    let digits = String(UInt(bitPattern: hash), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
