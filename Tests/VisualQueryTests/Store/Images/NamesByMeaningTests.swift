import Foundation
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

/// Files whose names feeds write in another way.
@Suite struct NamesByMeaningTests {
  private static func folders(
    _ files: [String], way: ConfinedFolder.Way = .kernel
  ) throws -> (folder: TemporaryDirectory, folders: PictureFolders) {
    let folder = try TemporaryDirectory()
    for file in files {
      let path = folder.path + "/images/" + file
      try FileManager.default.createDirectory(
        atPath: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]),
        withIntermediateDirectories: true)
      try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    }
    return (
      folder,
      PictureFolders(
        PicturePlaces(root: folder.path + "/images"), way: way, findsByMeaning: true)
    )
  }

  @Test(
    arguments: [
      ("caf\u{E9}.jpg", "cafe\u{301}.jpg"), ("cafe\u{301}.jpg", "caf\u{E9}.jpg"),
      ("Tee.JPG", "Tee.jpg"), ("mug.jpg", "Mug.jpg"), ("Haus.jpg", "images\\haus.jpg"),
      ("bilder/haus.jpg", "C:\\Bilder\\haus.jpg"), ("haus.jpg", "D:\\shop\\images\\haus.jpg"),
      ("Sommer 2026/a.jpg", "Sommer%202026/a.jpg"), ("q.jpg", "q.jpg?v=3"),
      ("l.jpg", "/images/l.jpg"), ("l.jpg", "/l.jpg"), ("sub/l.jpg", "/Sub/l.jpg"),
      ("a/f.jpg", "file:///a/f.jpg"), ("f.jpg", "file:///home/me/images/f.jpg"),
      ("no break.jpg", "no\u{A0}break.jpg"), ("no\u{A0}break.jpg", "no break.jpg"),
      ("salt&pepper.jpg", "salt&amp;pepper.jpg"), ("big mug.jpg", "big+mug.jpg"),
      ("x.jpg", "x.jpeg"), ("Ä b&c.JPG", "%C3%A4%20b&amp;c.jpg?width=3"),
      ("a/B/c.jpg", "A\\b\\C.jpg"),
    ].filter { !$0.1.hasPrefix("images\\") } + [("images/Haus.jpg", "images\\haus.jpg")])
  func `a file is found by what its name means`(file: String, name: String) throws {
    for way in ConfinedFolder.Way.allCases {
      let (_folder, folders) = try Self.folders([file, "other.jpg"], way: way)
      let found = folders.nameOfFile(name)
      #expect(Array(found.utf8) == Array(file.utf8), "\(found)")
      #expect((try? folders.status(of: found)) != nil)
      #expect(folders.meanings?.count == 1)
      _ = _folder
    }
  }

  @Test func `a name that a file has exactly means that file`() throws {
    let files = ["Mug.jpg", "mug.jpg", "a%20b.jpg", "a b.jpg", "what?.jpg"]
    let (folder, folders) = try Self.folders(files)
    for file in files { #expect(folders.nameOfFile(file) == file) }
    #expect(folders.meanings?.count == 0)
    _ = folder
  }

  @Test func `a name that may mean two files is an error that names both`() throws {
    let (folder, folders) = try Self.folders(["Mug.jpg", "mug.jpg", "A/x.jpg", "a/X.jpg"])
    for (name, files) in [
      ("MUG.jpg", "'Mug.jpg' and 'mug.jpg'"), ("a\\x.JPG", "'A/x.jpg' and 'a/X.jpg'"),
      ("/MUG.jpg", "'Mug.jpg' and 'mug.jpg'"),
    ] {
      #expect(folders.nameOfFile(name) == name)
      let error = #expect(throws: PictureFileError.self) { try folders.status(of: name) }
      #expect(error?.code == .missing && error?.message.contains(files) == true)
    }
    _ = folder
  }

  @Test func `files outside of the root stay outside`() throws {
    let (folder, folders) = try Self.folders(["a.jpg"])
    _ = try folder.write("secret", to: "secret.jpg")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/other", withIntermediateDirectories: true)
    _ = try folder.write("secret", to: "other/s.jpg")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/images/Out", withDestinationPath: "../other")
    for name in [
      "../Secret.jpg", "..\\secret.jpg", "%2e%2e/secret.jpg", "x/../../secret.JPG", "out/S.jpg",
      "Out/S.JPG", folder.path + "/SECRET.jpg", "nothing.jpg", "", "/", "a.jpg/b",
    ] {
      let found = folders.nameOfFile(name)
      #expect((try? folders.open(found).descriptor) == nil, "\(name) → \(found)")
    }
    #expect(folders.meanings?.count == 0)
  }

  @Test func `a run finds such files and says how many`() async throws {
    let shop = try DrawnShop()
    for (seed, name) in ["Tee.JPG", "two words.jpg", "Cup.jpg", "cup.jpg"].enumerated() {
      try shop.draw(name, seed: UInt64(seed))
    }
    let rows = [("a", "tee.jpg"), ("b", "two%20words.jpg"), ("c", "CUP.jpg")].map {
      #"{"type":"product","id":"\#($0)","title":"T","images":["\#($1)"]}"#
    }
    let (first, refused) = try await shop.run(rows)
    #expect(first.filesByMeaning == 2 && first.signedImages == 2)
    #expect(
      refused.map(\.kind) == [.image] && refused[0].reason.contains("'Cup.jpg' and 'cup.jpg'"))
    // The index has the names that the files have.
    #expect(try await shop.product("a")?.images == ["Tee.JPG"])
    let (second, _) = try await shop.run(rows)
    #expect(second.unchangedImages == 2 && second.signedImages == 0)
  }
}
