import Foundation
import VisualQuery

let matcher = Matcher(catalogue: try Catalogue(directory: "shop.vq"))
let jpeg = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "photo.jpg")))
let answer = try await matcher.values(for: matcher.content(decoding: jpeg, labels: ["mug"]))
for match in answer.matches {
  print(match.confidence, match.display.title, match.handoff.url ?? "")
}
