import Foundation
import TestSupport
import Testing

@testable import vq

/// The messages of the command line about entities, names and options that do not act as expected.
@Suite struct AdviceTests {
  private func run(_ arguments: [String]) throws -> RunningVQ {
    try RunningVQ(arguments + ["--index", IndexedShop.path()])
  }

  /// Would break if a store that is shown since it stocks a match were called lost.
  @Test func `a store that stocks the first match is said to be shown`() throws {
    let photo = SampleShop.image("mug-red.jpg")
    let found = try run(["match", "--json", photo])
    #expect(found.output.contains(#""stocks":"mug-red""#))
    let text = try run(["why-not", photo, "--expect", "store:harbour"])
    #expect(
      text.output.hasPrefix("store:harbour is match 2, since it stocks product:mug-red"),
      "\(text.output)")
    #expect(!text.output.contains("lost") && !text.output.contains("Its confidence"))
    let json = try run(["why-not", photo, "--expect", "store:harbour", "--json"])
    #expect(json.output.contains(#""rank":2"#) && json.output.contains(#""stocks":"mug-red""#))
    let other = try run(["why-not", photo, "--expect", "mug-red", "--json"])
    #expect(other.output.contains(#""stocks":null"#))
  }

  @Test(arguments: [
    (["--where", "price<1"], "the filter excludes it (--where)"),
    (["--with-label", "kettle"], "the filter excludes it (--with-label)"),
    (
      ["--with-label", "kettle", "--where", "price<1"],
      "the filters exclude it (--where, --with-label)"
    ),
  ])
  func `the filter that was given is named`(filter: [String], says: String) throws {
    let answer = try run(
      ["why-not", SampleShop.image("mug-red.jpg"), "--expect", "mug-red"] + filter)
    #expect(answer.output.contains(says), "\(answer.output)")
  }

  /// Would break if a key were written onto the end of the last line, which would make both lines useless.
  @Test func `a key is a line of its own`() throws {
    let folder = try TemporaryDirectory()
    let first = try RunningVQ(["key", folder.path + "/made.txt", "--name", "first"])
    #expect(first.status == 0)
    let line = try String(contentsOfFile: folder.path + "/made.txt", encoding: .utf8).dropLast()
    let keys = try folder.write(String(line), to: "keys.txt")
    #expect(try RunningVQ(["key", keys, "--name", "second", "--role", "write"]).status == 0)
    #expect(try APIKeys(file: keys).keys.map(\.name) == ["first", "second"])
  }

  /// Would break if a file of keys that cannot be read were said to be missing.
  @Test func `only a missing file of keys is to be made`() throws {
    let folder = try TemporaryDirectory()
    let missing = try run(["serve", "--keys", folder.path + "/none.txt"])
    #expect(missing.status == 2 && missing.errors.contains("vq key"), "\(missing.errors)")
    let unreadable = try run(["serve", "--keys", folder.path])
    #expect(unreadable.status == 2 && !unreadable.errors.contains("vq key"))
  }

  /// Would break if labels under a mistyped name were lost without a word.
  @Test func `fields that are probably misspelt are counted`() throws {
    let folder = try TemporaryDirectory()
    let rows = (1...3).map { number in
      #"{"type":"product","id":"\#(number)","title":"Mug","lables":["mug"],"features":["warm"]}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let answer = try RunningVQ(["index", feed, "--index", folder.path + "/shop.vq"])
    #expect(
      answer.errors.contains(
        "3 entities have the field 'lables', which is kept but means nothing to vq; did you mean 'labels'?"
      ), "\(answer.errors)")
    #expect(!answer.errors.contains("'features'"))
  }

  @Test(arguments: [
    (["--all-fields"], "--all-fields has no effect without --json"),
    (["--at-least", "1"], "--at-least has no effect: the index is a directory"),
    (["--cache", "/tmp/none"], "--cache has no effect: the index is a directory"),
  ])
  func `an option without effect is named`(option: [String], says: String) throws {
    let answer = try run(["match", "--labels", "mug"] + option)
    #expect(answer.status == 0 && answer.errors.contains(says), "\(answer.errors)")
  }

  /// Would break if a server started that no browser or app could use.
  @Test(arguments: [
    (["--allow-origin", "shop.example"], "https://shop.example"),
    (["--allow-origin", "https://shop.example/"], "https://shop.example"),
    (["--app-id", "foo"], "ABCDE12345.com.example.shop"),
    (["--app-id", "TEAM.com.example"], "ABCDE12345.com.example.shop"),
  ])
  func `an origin and the id of an app have their forms`(option: [String], says: String) throws {
    let answer = try run(["serve", "--port", "0", "--socket", "/none/at/all"] + option)
    #expect(answer.status == 2 && answer.errors.contains(says), "\(answer.errors)")
  }

  @Test func `a server without a usable key says so`() throws {
    let folder = try TemporaryDirectory()
    let keys = try folder.write("# none yet\n", to: "keys.txt")
    // The server does not start, since the socket cannot be made.
    let answer = try run(["serve", "--socket", "/none/at/all", "--keys", keys])
    #expect(answer.status == 1 && answer.errors.contains("has no key"), "\(answer.errors)")
  }

  @Test func `a field in settings that no entity has is told`() throws {
    let folder = try TemporaryDirectory()
    let feed = try folder.write(
      """
      {"type":"product","id":"a","title":"A","price":"3 EUR","attributes":{"tint":"red"},"sku":"7"}
      {"type":"store","id":"s","title":"S"}
      """, to: "c.jsonl")
    func index(_ links: String...) throws -> RunningVQ {
      try RunningVQ(
        ["index", feed, "--index", folder.path + "/i.vq"] + links.flatMap { ["--link", $0] })
    }
    let wrong = try index(
      "product=https://a.example/{id}{?skuu,tint}", "store=https://a.example/s/{sku}")
    #expect(wrong.status == 0)
    #expect(
      wrong.errors.contains("vq: --link: no product has the field 'skuu'; did you mean 'sku'?\n"))
    #expect(wrong.errors.contains("vq: --link: no store has the field 'sku'\n"))
    #expect(!wrong.errors.contains("tint"))
    let right = try index(
      "product=https://a.example/{type}/{id}{?sku,price,title,tint}",
      "store=https://a.example/s/{id}")
    #expect(!right.errors.contains("--link"), "\(right.errors)")
    let set = try RunningVQ([
      "catalogue", "set", "--public", "sku,tnit", "--index", folder.path + "/i.vq",
    ])
    #expect(set.status == 0)
    #expect(set.errors == "vq: --public: no entity has the field 'tnit'; did you mean 'tint'?\n")
  }

  @Test func `a key of a query that is nearly a known one is told`() throws {
    let folder = try TemporaryDirectory()
    let photo = SampleShop.query("q04-tote.jpg")
    let queries = try folder.write(
      """
      {"image":"\(photo)","truth":["tote-navy"],"kind":"x","note":1,"source":"y"}
      {"image":"\(photo)","truth":["tote-navy"],"lables":["tote"]}
      {"image":"\(photo)","truth":["tote-navy"],"labels":["tote"],"label":"tote"}
      {"image":"\(photo)","truth":["tote-navy"],"lables":["bag"],"edti":"none"}
      """, to: "q.jsonl")
    let run = try RunningVQ(["eval", queries, "--index", IndexedShop.path(), "--quiet", "--json"])
    #expect(run.status == 0 && run.output.contains(#""queries":4"#))
    #expect(
      run.errors == """
        vq: '\(queries)', line 2 and 1 further line: 'lables' is unknown; did you mean 'labels'?
        vq: '\(queries)', line 4: 'edti' is unknown; did you mean 'edit'?

        """)
    let other = try folder.write(#"{"image":"\#(photo)","truths":[]}"#, to: "r.jsonl")
    let refused = try RunningVQ(["eval", other, "--index", IndexedShop.path()])
    #expect(
      refused.status == 1
        && refused.errors.contains("r.jsonl', line 1: 'truth' is missing; found 'truths'"))
  }

  @Test func `a folder is read as images, and one file is not files`() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/images", withIntermediateDirectories: true)
    _ = try folder.copy(SampleShop.image("mug-red.jpg"), to: "images/mug.jpg")
    _ = try folder.write("{}", to: "images/one.jsonl")
    let index = ["--index", folder.path + "/shop.vq"]
    let one = try RunningVQ(["index", folder.path + "/images"] + index)
    #expect(one.errors.contains("reading a folder of images"), "\(one.errors)")
    #expect(one.errors.contains("left out: 1 .jsonl file\n"), "\(one.errors)")
    _ = try folder.write("{}", to: "images/two.jsonl")
    let two = try RunningVQ(["index", folder.path + "/images"] + index)
    #expect(two.errors.contains("left out: 2 .jsonl files\n"), "\(two.errors)")
    let rows = ["a", "b"].map { #"{"type":"product","id":"\#($0)","title":"T"}"# }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let bare = try RunningVQ(["index", feed, "--index", folder.path + "/bare.vq"])
    #expect(bare.errors.contains("2 entities: no image in the feed;"), "\(bare.errors)")
  }
}
