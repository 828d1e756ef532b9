// expect: extra argument 'wrappedValue' in call
import AppIntents

struct Mug {
  @EntityProperty(title: "Name") var name: String = ""
}
