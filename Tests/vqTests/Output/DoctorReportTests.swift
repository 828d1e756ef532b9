@testable import ShopIndex
import TestSupport
import Testing

import VisualQuery
@testable import vq

@Suite struct DoctorReportTests {
  private typealias Finding = CatalogueDoctor.Finding

  /// Would break if a thousand findings of a kind hid the others, or if the counts did not add up.
  @Test func `a report begins with counts and shows few of each kind`() {
    var findings = (0..<100).map {
      Finding(kind: .noLink, id: "product:\($0)", detail: "has no link", cure: "add a 'url'")
    }
    findings.append(
      Finding(kind: .noPicture, id: "product:7", detail: "has no image", cure: "add one"))
    let lines = DoctorReport(findings, entityCount: 100).lines
    #expect(lines[0] == "101 findings in 100 entities: noLink 100, noPicture 1")
    #expect(lines[1] == "most findings: product:7 (2)")
    #expect(lines.count == 11 && lines.contains("… and 97 more of 'noLink'"))
    #expect(DoctorReport([], entityCount: 3).lines.isEmpty)
  }

  /// Would break if 300 pairs of the same image were listed pair by pair.
  @Test func `entities that share an image are one group`() {
    let pairs = [("a", "b"), ("c", "d"), ("b", "c"), ("e", "f"), ("a", "d")]
    let findings = pairs.map {
      Finding(
        kind: .indistinguishable, id: $0.0, detail: "has the same image as \($0.1)", cure: "merge",
        twin: $0.1)
    }
    let lines = DoctorReport(findings, entityCount: 6).lines
    #expect(lines.contains("a, b, c, d have the same image"))
    #expect(lines.contains("e, f have the same image"))
  }

  /// Would break if an entity with two images joined the entities that have one of them each.
  @Test func `entities that share different images with one are different groups`() {
    func finding(_ id: String, _ image: Int, _ twin: String, _ twinImage: Int) -> Finding {
      Finding(
        kind: .indistinguishable, id: id, detail: "has the same image as \(twin)", cure: "merge",
        twin: twin, sharedImage: image, twinImage: twinImage)
    }
    let lines = DoctorReport(
      [
        finding("kettle", 0, "multi", 1), finding("multi", 0, "oats", 0),
        finding("oats", 0, "p", 2),
        // Two entities with two images in common.
        finding("x", 0, "y", 0), finding("x", 1, "y", 1),
      ], entityCount: 6
    ).lines
    #expect(lines.contains("kettle, multi have the same image"))
    #expect(lines.contains("multi, oats, p have the same image"))
    #expect(lines.filter { $0 == "x, y have the same image" }.count == 1)
  }

  /// Would break if ten thousand images of a reason were ten thousand lines.
  @Test func `rejections are one line for each reason`() {
    let summary = RejectionSummary()
    for number in 1...10_000 {
      summary.add(
        RefusedRow(
          kind: .image, line: number, id: "p\(number)", field: "images[0]",
          reason: "\(number).jpg: there is no such file", subject: "\(number).jpg"))
    }
    for number in 1...2 {
      summary.add(
        RefusedRow(
          kind: .field, line: number, id: "q", field: "price", reason: "is 'x\(number)'; expected"))
    }
    summary.add(RefusedRow(line: 3, reason: "is not JSON"))
    summary.add(RefusedRow(kind: .unfetchedImage, line: 3, reason: "it is on a server"))
    #expect(
      summary.lines == [
        "10000 images: there is no such file; for example line 1 (p1) 1.jpg",
        "2 times: price is '…'; expected; for example line 1 (q): is 'x1'", "line 3: is not JSON",
      ])
  }

  /// Would break if a line said of all rows what only the first one has.
  @Test func `a line about several rows holds for each of them`() {
    func lines(_ reasons: [String], field: String? = nil) -> [String] {
      let summary = RejectionSummary()
      for (number, reason) in reasons.enumerated() {
        summary.add(RefusedRow(line: number + 3, field: field, reason: reason))
      }
      return summary.lines
    }
    #expect(
      lines([2, 6, 2].map { "has \($0) fields; the header has 3" }) == [
        "3 rows: has … fields; the header has 3; for example line 3: has 2 fields"
      ])
    #expect(
      lines(["Product", "produkt"].map { "is '\($0)'; expected product or store" }, field: "type")
        == [
          "2 rows: type is '…'; expected product or store; for example line 3: is 'Product'"
        ])
    #expect(
      lines(["is 1.5, 2; expected -90...90", "is 91.25, 2; expected -90...90"]) == [
        "2 rows: is …, 2; expected -90...90; for example line 3: is 1.5, 2"
      ])
    #expect(
      lines(["was already used in line 2", "was already used in line 2"]) == [
        "2 rows: was already used in line 2; for example line 3"
      ])
    let summary = RejectionSummary()
    for number in 0..<2 {
      summary.add(
        RefusedRow(
          kind: .field, line: 1, id: "a", field: "embeddings[\(number)]", reason: "is no vector"))
    }
    #expect(summary.lines == ["2 times: embeddings is no vector; for example line 1 (a)"])
  }

  /// Would break if the codes of servers were numbers like others: a host that refuses would pass for missing images.
  @Test func `images with other status codes are other lines`() {
    let summary = RejectionSummary()
    for (number, status) in [404, 403, 404, 503].enumerated() {
      summary.add(
        RefusedRow(
          kind: .image, line: number + 1, field: "images[0]",
          reason: "\(number).jpg: the server responded with status \(status)",
          subject: "\(number).jpg"))
    }
    #expect(
      summary.lines == [
        "2 images: the server responded with status 404; for example line 1 0.jpg",
        "line 2: images[0] 1.jpg: the server responded with status 403",
        "line 4: images[0] 3.jpg: the server responded with status 503",
      ])
  }
}
