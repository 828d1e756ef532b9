import Testing
import VisualQuery

@Suite struct LabelTextTests {
  @Test(arguments: [
    ("Mug", "mug"), ("MUGS", "mug"), ("boxes", "box"), ("Berries", "berry"), ("glass", "glass"),
    ("glasses", "glass"), ("bus", "bus"), ("tennis", "tennis"), ("watches", "watch"),
    ("tomatoes", "tomato"), ("shoes", "shoe"), ("snowshoes", "snowshoe"), ("gas", "gas"),
    ("cookies", "cooky"), ("cookie", "cooky"), ("pies", "pie"), ("Crème brûlée", "creme brulee"),
    ("cre\u{300}me", "creme"), ("Straße", "strasse"), ("ế", "e"),
    ("  desk_lamp--Lights ", "desk lamp light"),
    ("杯子", "杯子"), ("", ""), ("—!", ""), ("T-shirts", "t shirt"),
  ])
  func `a label has one form`(label: String, form: String) {
    #expect(LabelText.normalized(label) == form)
    #expect(LabelText.normalized(form) == form)
  }
}
