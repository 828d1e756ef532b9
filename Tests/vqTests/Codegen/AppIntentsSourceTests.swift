import Testing
import VisualQuery

@testable import vq

/// Would break if a shop's fields made source that does not compile; `Tests/System/app/codegen.sh` compiles one.
@Suite struct AppIntentsSourceTests {
  @Test(arguments: [
    ("material", "material"), ("Country of origin", "countryOfOrigin"), ("class", "`class`"),
    ("2nd_hand", "field2ndHand"), ("größe", "grE"), ("---", "field"), ("ID", "iD"),
  ])
  func `a field has a name in Swift`(field: String, name: String) {
    #expect(SwiftName.lower(field, fallback: "field") == name)
  }

  @Test func `names differ, whatever the fields are`() {
    #expect(
      SwiftName.distinct(["a", "A", "a2", "name", "a"], besides: ["name"])
        == ["a", "A2", "a22", "name2", "a3"])
  }

  @Test(arguments: [
    (#"a"b\c"#, #""a\"b\\c""#), ("line\nbreak", #""line\u{a}break""#), (#"\(x)"#, #""\\(x)""#),
  ])
  func `a text is a literal that nothing gets out of`(text: String, literal: String) {
    #expect(SwiftName.literal(text) == literal)
  }

  @Test func `fields with few values are choices, the others texts and numbers`() throws {
    func kind(_ values: [(PropertyValue, Int)], entities: Int) -> AppIntentsSource.Field.Kind? {
      AppIntentsSource.Field(
        Facet(
          property: "f", values: values.map { Facet.Value(value: $0.0, count: $0.1) },
          valueCount: values.count, entityCount: entities, range: nil))?.kind
    }
    #expect(kind([(.text("b"), 3), (.text("a"), 1)], entities: 4) == .choice(["a", "b"]))
    #expect(kind([(.text("b"), 1), (.text("a"), 1)], entities: 2) == .text)
    #expect(kind([(.number(1), 2)], entities: 2) == .number)
    #expect(kind([], entities: 0) == nil)
  }
}
