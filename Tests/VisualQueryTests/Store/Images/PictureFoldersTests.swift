import Foundation
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files that a feed may name: those beneath the root, and no others.
@Suite struct PictureFoldersTests {
  /// A root with a file, a folder and links, beside a folder that is not its own.
  private struct Tree {
    let folder: TemporaryDirectory
    var root: String { folder.path + "/root" }
    var other: String { folder.path + "/other" }

    init() throws {
      folder = try TemporaryDirectory()
      for name in ["root", "root/sub", "other", "other/deep"] {
        try FileManager.default.createDirectory(
          atPath: folder.path + "/" + name, withIntermediateDirectories: true)
      }
      for name in ["root/a.jpg", "root/sub/b.jpg", "other/c.jpg", "other/deep/d.jpg", "e.jpg"] {
        _ = try folder.write(name, to: name)
      }
      try link("inner", to: "sub/b.jpg")
      try link("out", to: "../other/c.jpg")
      try link("outFolder", to: "../other")
      try link("full", to: other + "/c.jpg")
      try link("process", to: "/proc/self/root" + other + "/c.jpg")
      try link("loop", to: "loop")
      try FileManager.default.createSymbolicLink(
        atPath: other + "/back", withDestinationPath: "../e.jpg")
    }

    private func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: root + "/" + name, withDestinationPath: target)
    }

    func folders(_ way: ConfinedFolder.Way, outside: [String] = []) -> PictureFolders {
      PictureFolders(PicturePlaces(root: root, outside: outside), way: way)
    }
  }

  /// Opens a name, and returns the file's text or the error.
  private func opened(_ name: String, _ folders: PictureFolders) -> Result<String, PictureFileError>
  {
    do throws(PictureFileError) {
      let file = try folders.open(name)
      let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
      let status = try folders.status(of: name)
      #expect(status == file.status)
      return .success(String(decoding: handle.readDataToEndOfFile(), as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }

  private func code(_ result: Result<String, PictureFileError>) -> PictureFileError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  /// Whoever writes a feed would read any picture of the indexing account.
  @Test(arguments: ConfinedFolder.Way.allCases)
  func `names and links that leave the root are refused`(way: ConfinedFolder.Way) throws {
    let tree = try Tree()
    let folders = tree.folders(way)
    for (name, text) in [
      "a.jpg": "root/a.jpg", "./sub//b.jpg": "root/sub/b.jpg", "sub/../a.jpg": "root/a.jpg",
    ] {
      #expect(opened(name, folders) == .success(text), "\(name)")
    }
    for name in [
      "../other/c.jpg", "sub/../../other/c.jpg", "..", "out", "outFolder/c.jpg", "full", "process",
      "loop", tree.other + "/c.jpg", tree.root, "/", "a.jpg\u{0}.png", "/dev/zero",
      tree.root + "/../other/c.jpg", tree.root + "/a.jpg\u{0}", tree.root + "er/a.jpg",
      tree.root + "/outFolder/c.jpg",
      "outFolder/../../other/c.jpg", "outFolder",
    ] {
      #expect(code(opened(name, folders)) == .refused, "\(name)")
    }
    for name in ["none.jpg", "none/a.jpg", "a.jpg/b"] {
      #expect(code(opened(name, folders)) == .missing, "\(name)")
    }
  }

  /// Would break if a feed with full paths were refused although its files are where they may be.
  @Test(arguments: ConfinedFolder.Way.allCases)
  func `an absolute path beneath the root is that of a file beneath it`(
    way: ConfinedFolder.Way
  ) throws {
    let tree = try Tree()
    let link = tree.folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: tree.root)
    for root in [tree.root, tree.root + "/", link] {
      let folders = PictureFolders(PicturePlaces(root: root), way: way)
      for name in [
        tree.root + "/sub/b.jpg", tree.root + "//sub/b.jpg", link + "/sub/b.jpg",
        tree.folder.path + "/root/../root/sub/b.jpg", tree.folder.path + "/./root/sub/b.jpg",
      ] {
        #expect(opened(name, folders) == .success("root/sub/b.jpg"), "\(name)")
        let relative = folders.relativeName(name)
        #expect(relative == "sub/b.jpg", "\(name)")
      }
      #expect(code(opened(tree.root + "/none.jpg", folders)) == .missing)
      for name in ["sub/b.jpg", "/etc/passwd", tree.other + "/c.jpg", "../other/c.jpg"] {
        #expect(folders.relativeName(name) == name)
      }
    }
  }

  /// The walk is the stricter of the two: it cannot know where a link leads.
  @Test func `a link within the root is followed by the kernel alone`() throws {
    let tree = try Tree()
    #expect(opened("inner", tree.folders(.kernel)) == .success("root/sub/b.jpg"))
    #expect(code(opened("inner", tree.folders(.walk))) == .refused)
  }

  @Test(arguments: ConfinedFolder.Way.allCases)
  func `a folder outside that is named may be led into, and not left`(
    way: ConfinedFolder.Way
  ) throws {
    let tree = try Tree()
    let folders = tree.folders(way, outside: [tree.other])
    for name in [
      "../other/c.jpg", "out", "outFolder/c.jpg", "full", tree.other + "/c.jpg",
      tree.other + "/../other/c.jpg",
    ] {
      #expect(opened(name, folders) == .success("other/c.jpg"), "\(name)")
    }
    for name in [
      tree.folder.path + "/e.jpg", "../e.jpg", tree.other + "/back", "outFolder/back",
      tree.other, "/etc/passwd",
    ] {
      #expect(code(opened(name, folders)) == .refused, "\(name)")
    }
    #expect(code(opened(tree.other + "/none.jpg", folders)) == .missing)
    // A folder whose name only begins alike is another one.
    let deep = tree.folders(way, outside: [tree.other + "/dee"])
    #expect(code(opened(tree.other + "/deep/d.jpg", deep)) == .refused)
  }

  /// A pipe without a writer would hold a thread for ever.
  @Test(arguments: ConfinedFolder.Way.allCases)
  func `only regular files are pictures`(way: ConfinedFolder.Way) throws {
    let tree = try Tree()
    #expect(unsafe mkfifo(tree.root + "/pipe", 0o644) == 0)
    let folders = tree.folders(way, outside: ["/dev"])
    for name in ["pipe", "sub", ".", "/dev/null", "/dev/zero"] {
      #expect(code(opened(name, folders)) == .refused, "\(name)")
    }
  }

  @Test func `what is refused says what is accepted and what to do`() throws {
    let tree = try Tree()
    func message(_ name: String, _ places: PicturePlaces) -> String {
      if case .failure(let error) = opened(name, PictureFolders(places)) {
        error.message
      } else {
        ""
      }
    }
    let places = PicturePlaces(root: tree.root)
    for name in ["../e.jpg", "/etc/passwd"] {
      let text = message(name, places)
      #expect(text.contains("'\(tree.root)'") && text.contains("--allow-outside DIR"))
    }
    #expect(message("pipe\u{0}", places).contains("NUL"))
    #expect(message("a.jpg", PicturePlaces()).contains("vq catalogue set --images-root"))
    #expect(
      message("a.jpg", PicturePlaces(root: tree.root + "/none")).contains("--images-root DIR"))
  }
}
