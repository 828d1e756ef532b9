import Foundation
import TestSupport
import Testing

/// `vq rules`, and the rules that other commands try.
@Suite struct RuleCommandTests {
  private static let hide =
    #"{"rules":[{"name":"recall","do":"hide","entities":["product:kettle"]}]}"#

  @Test func `rules are set, listed, exported and removed`() throws {
    let (folder, _) = try RunningVQ.indexingSampleShop()
    let index = ["--index", folder.path + "/shop.vq"]
    #expect(try RunningVQ(["rules"] + index).output == "No rules.\n")
    let file = try folder.write(Self.hide, to: "rules.json")
    let set = try RunningVQ(["rules", "--set", file] + index)
    #expect(set.output.hasSuffix("has 1 rule now; generation 2.\n"))
    #expect(
      try RunningVQ(["rules", "--set", file] + index).output.contains("has these rules already"))
    #expect(
      try RunningVQ(["rules"] + index).output.contains("recall  hide  product:kettle  always"))
    let exported = try folder.write(
      try RunningVQ(["rules", "--json"] + index).output, to: "e.json")
    let again = try RunningVQ(["rules", "--set", exported] + index)
    #expect(again.output.contains("has these rules already; it is still at generation 2"))
    let photo = SampleShop.query("q07-kettle.jpg")
    #expect(!(try RunningVQ(["match", photo] + index).output.contains("kettle")))
    let why = try RunningVQ(["why-not", photo, "--expect", "kettle"] + index)
    #expect(why.output.contains("hidden, a rule of the shop hides it (vq rules)"))
    #expect(why.output.contains("The rule 'recall' did that."))
    #expect(try RunningVQ(["rules", "--remove", "none"] + index).status == 2)
    let off = try folder.write(
      Self.hide.replacing("[\"product:kettle\"]", with: "[\"product:kettle\"],\"off\":true"),
      to: "off.json")
    _ = try RunningVQ(["rules", "--set", off] + index)
    #expect(try RunningVQ(["rules"] + index).output.contains("recall  hide  product:kettle  off"))
    #expect(try RunningVQ(["match", photo] + index).output.contains("kettle"))
    #expect(
      try RunningVQ(["rules", "--remove", "recall"] + index).output.contains("has 0 rules now"))
    #expect(try RunningVQ(["match", photo] + index).output.contains("kettle"))
    let missing = try RunningVQ(["rules", "--set", folder.path + "/none.json"] + index)
    #expect(missing.status == 1 && missing.errors.contains("cannot read"))
    let bad = try folder.write(#"{"rules":[{"name":"a","do":"hide","where":["pric<3"]}]}"#, to: "b")
    let refused = try RunningVQ(["rules", "--set", bad] + index)
    #expect(refused.status == 1 && refused.errors.contains("rules[0].where is not valid"))
  }

  /// Would break if trying rules changed the index, or hid what they would do.
  @Test func `rules are tried before they count`() throws {
    let folder = try TemporaryDirectory()
    let index = ["--index", try IndexedShop.path()]
    let queries = SampleShop.query("queries.jsonl")
    let hide = try folder.write(Self.hide, to: "hide.json")
    let lost = try RunningVQ(["diff", queries, "--rules", hide] + index)
    #expect(lost.status == 1 && lost.output.contains("lost") && lost.output.contains("kettle"))
    let figures = try RunningVQ(["eval", queries, "--json", "--quiet"] + index)
    let ruled = try RunningVQ(["eval", queries, "--json", "--quiet", "--rules", hide] + index)
    #expect(figures.output != ruled.output && ruled.output.contains("hidden"))
    let pin = try folder.write(
      #"{"rules":[{"name":"far","do":"pin","entities":["store:pavilion"]}]}"#, to: "pin.json")
    let moved = try RunningVQ(["diff", queries, "--rules", pin, "--json"] + index)
    #expect(moved.status == 0 && moved.output.contains(#""change":"order""#))
    #expect(moved.output.contains(#""rule":"far""#))
    let photo = SampleShop.query("q06-oats.jpg")
    let explained = try RunningVQ(["match", photo, "--rules", pin, "--explain"] + index)
    #expect(explained.output.contains("moved by the rule 'far' (vq rules)"))
    #expect(!(try RunningVQ(["match", photo, "--explain"] + index).output.contains("moved by")))
    let json = try RunningVQ(["match", photo, "--rules", pin, "--json"] + index)
    #expect(json.output.contains(#""rule":"far""#))
    // The rules of a later time.
    let later = try folder.write(
      Self.hide.replacing("product:kettle\"]", with: "product:oats\"],\"from\":\"2100-01-01\""),
      to: "later.json")
    let options = ["match", photo, "--rules", later] + index
    #expect(try RunningVQ(options).output.contains("/p/oats"))
    let future = try RunningVQ(options + ["--at", "2100-01-02T00:00:00Z"])
    #expect(!future.output.contains("/p/oats"))
  }
}
