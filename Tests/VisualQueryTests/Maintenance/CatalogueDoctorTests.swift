import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

/// The doctor's findings in a catalogue.
@Suite struct CatalogueDoctorTests {
  @Test func `the doctor names what is hard to find and to show`() async throws {
    let shop = try DrawnShop()
    try shop.draw("good.jpg", seed: 1, side: 300)
    try shop.draw("twin.jpg", seed: 1, side: 300)
    try shop.draw("small.jpg", seed: 2, side: 60)
    let gray = try PixelBuffer(
      width: 300, height: 300, format: .gray8, bytes: [UInt8](repeating: 200, count: 90_000))
    _ = try shop.folder.write(gray.jpeg(), to: "flat.jpg")
    let long = String(repeating: "long ", count: 20)
    let url = #""url":"https://a.example/p""#
    try await shop.run([
      DrawnShop.row("good", #""title":"G",\#(url)"#),
      DrawnShop.row("twin", #""title":"T",\#(url)"#),
      DrawnShop.row("small", #""title":"S","lables":["s"],\#(url)"#),
      DrawnShop.row("flat", #""title":"F",\#(url)"#),
      #"{"type":"product","id":"bare","title":"\#(long)","subtitle":"\#(long)","price":{"amount":"1","currency":"ZZZ"}}"#,
      #"{"type":"store","id":"place","title":"P","stock":["good","none"],\#(url)}"#,
    ])
    let findings = try await CatalogueDoctor(
      catalogue: try Catalogue(directory: shop.index)
    ).findings()
    #expect(
      findings.map { "\($0.id) \($0.kind.rawValue)" } == [
        "product:bare longText", "product:bare noLink", "product:bare noPicture",
        "product:bare unknownCurrency", "product:flat flatPicture",
        "product:good indistinguishable", "product:small misspeltField",
        "product:small smallPicture", "store:place noPicture", "store:place noPlace",
        "store:place unknownStock",
      ])
    let sample = try await CatalogueTests.sampleCatalogue()
    let healthy = CatalogueDoctor(catalogue: try Catalogue(directory: sample.path + "/shop.vq"))
    #expect(try await healthy.findings() == [])
  }
}
