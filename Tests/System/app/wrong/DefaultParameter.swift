// expect: extra argument 'wrappedValue' in call
import AppIntents

struct Search {
  @IntentParameter(title: "Words") var words: String = ""
}
