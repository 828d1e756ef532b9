import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// `POST /v1/match` with images that a browser shows, although a part of them is missing.
@Suite struct IncompleteImageTests {
  /// The oats of the sample shop, without the last bytes.
  private static func image(missing: Int) throws -> [UInt8] {
    let file = SampleShop.image("oats.jpg")
    return Array(try #require(FileManager.default.contents(atPath: file)).dropLast(missing))
  }

  private static func form(_ request: String, _ image: [UInt8]) -> [UInt8] {
    let head = """
      --b\r
      Content-Disposition: form-data; name="request"\r
      \r
      \(request)\r
      --b\r
      Content-Disposition: form-data; name="image"; filename="p.jpg"\r
      \r

      """
    return Array(head.utf8) + image + Array("\r\n--b--".utf8)
  }

  private static func value(_ response: HTTPResponse) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
  }

  /// Would break if what `--tolerant` does could not be had over HTTP, or if the answer did not say that a part of the
  /// image is missing.
  @Test func `a truncated image is searched with its part if that is asked for`() async throws {
    let shop = try await ServedShop()
    let image = try Self.image(missing: 1000)
    let raw = try await shop.ask(
      "POST /v1/match?tolerant=true&limit=2", ["Content-Type: image/jpeg"], image)
    let form = try await shop.ask(
      "POST /v1/match", ["Content-Type: multipart/form-data; boundary=b"],
      Self.form(#"{"tolerant":true,"limit":2}"#, image))
    #expect(raw.status == 200 && form.status == 200)
    #expect(ServedShop.plain(raw.body) == ServedShop.plain(form.body))
    let answer = try Self.value(raw)
    #expect(ServedShop.ids(answer, "values").first == "oats")
    let damage = try #require(answer["damage"] as? [String: String])
    #expect(damage["code"] == "truncated")
    #expect(damage["detail"]?.hasSuffix("of 560 rows are there") == true)
    let folder = try TemporaryDirectory()
    let run = try RunningVQ([
      "match", try folder.write(image, to: "oats.jpg"), "--tolerant", "--limit", "2", "--json",
      "--deadline", "0", "--index", shop.index,
    ])
    #expect(ServedShop.plain(raw.body) == ServedShop.plain(Array(run.output.dropLast().utf8)))
  }

  /// Would break if a person were told to take another image where the app can send this one again.
  @Test(arguments: [("en", "Load it again"), ("de", "Lade es noch einmal"), ("fr", "Chargez-la")])
  func `a truncated image is rejected otherwise, with a way out`(
    language: String, part: String
  ) async throws {
    let shop = try await ServedShop()
    let image = try Self.image(missing: 1000)
    for query in ["", "?tolerant=false"] {
      let response = try await shop.ask(
        "POST /v1/match\(query)", ["Content-Type: image/jpeg", "Accept-Language: \(language)"],
        image)
      let problem = try Self.value(response)
      #expect(response.status == 422 && problem["code"] as? String == "truncated")
      #expect((problem["userMessage"] as? String)?.contains(part) == true)
    }
  }

  @Test func `an image that lacks only its end marker is whole`() async throws {
    let shop = try await ServedShop()
    let response = try await shop.ask(
      "POST /v1/match", ["Content-Type: image/jpeg"], try Self.image(missing: 2))
    let answer = try Self.value(response)
    #expect(response.status == 200 && answer["damage"] == nil)
    #expect(((answer["values"] as? [[String: Any]])?.first?["tier"] as? String) == "exact")
  }

  @Test(arguments: [#"{"labels":["mug"],"tolerant":"yes"}"#, #"{"labels":["mug"],"tolerant":1}"#])
  func `a wish that is no truth value is named`(body: String) async throws {
    let problem = try await ServedShop().json("POST /v1/match", [], body)
    #expect(problem["status"] as? Int == 400 && problem["field"] as? String == "tolerant")
  }

  @Test func `questions without an image and continuations take it, or say that it has no effect`()
    async throws
  {
    let shop = try await ServedShop()
    let answer = try await shop.json(
      "POST /v1/match", [], #"{"labels":["mug"],"tolerant":true,"limit":1}"#)
    let token = try #require(answer["continuation"] as? String)
    let problem = try await shop.json(
      "POST /v1/match", [], #"{"continuation":"\#(token)","tolerant":true}"#)
    #expect(problem["status"] as? Int == 400 && problem["field"] as? String == "tolerant")
  }

  /// Would break if people whose image browsers show were told to try another one.
  @Test(arguments: [
    Problem.Code.truncated, .bodyTooLarge, .tooManyBytes, .tooManyPixels, .tooMuchWork,
    .unsupportedFormat,
  ])
  func `a sentence about an image that browsers show says how to search with it`(
    code: Problem.Code
  ) {
    #expect(UserMessage(code).text(in: "en").contains("screenshot"))
    #expect(UserMessage(code).text(in: "de").contains("Screenshot"))
    #expect(UserMessage(code).text(in: "fr").contains("capture d’écran"))
  }

  /// Images in PQ and HLG are as sure as their twins in sRGB, within 0.05.
  ///
  /// Would break if their values were taken for sRGB: the red mug got 0.12.
  @Test(arguments: ["mug-red.jpg", "bottle-blue.jpg", "oats.jpg", "lamp-teal.jpg", "tote-rust.jpg"])
  func `an image of high dynamic range is as sure as its twin`(name: String) async throws {
    let shop = try await ServedShop()
    let image = try ImageDecoder().decode(ImageDecoder().contents(ofFile: SampleShop.image(name)))
    var confidences: [Double] = []
    for transfer in [13, 16, 18] as [UInt8] {
      var pixels: [UInt8] = []
      image.forEachRGBARow { row, _ in
        for x in 0..<image.width {
          pixels += BroadcastSignal.bytes(
            (row[4 * x], row[4 * x + 1], row[4 * x + 2]), transfer: transfer)
        }
      }
      let file = PNGFile.inserting(
        [PNGFile.chunk("cICP", [transfer == 13 ? 1 : 9, transfer, 0, 1])],
        into: PNGFile.rgb(
          width: image.width, height: image.height, pixels: pixels, isInterlaced: false, level: 1))
      let answer = try Self.value(
        try await shop.ask(
          "POST /v1/match?type=product&minConfidence=0", ["Content-Type: image/png"], file))
      let best = try #require((answer["values"] as? [[String: Any]])?.first)
      #expect(best["id"] as? String == String(name.dropLast(4)))
      confidences.append(try #require(best["confidence"] as? Double))
    }
    #expect(confidences.allSatisfy { abs($0 - confidences[0]) <= 0.05 }, "\(confidences)")
  }
}

/// Colors of sRGB as a signal of ITU-R BT.2100, with white at 203 cd/m².
private enum BroadcastSignal {
  private static let linear = (0..<256).map { byte -> Double in
    let value = Double(byte) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static func bytes(_ color: (UInt8, UInt8, UInt8), transfer: UInt8) -> [UInt8] {
    if transfer == 13 { return [color.0, color.1, color.2] }
    let (r, g, b) = (linear[Int(color.0)], linear[Int(color.1)], linear[Int(color.2)])
    let light = [
      203 * (0.627404 * r + 0.329283 * g + 0.043313 * b),
      203 * (0.069097 * r + 0.919541 * g + 0.011362 * b),
      203 * (0.016391 * r + 0.088013 * g + 0.895595 * b),
    ]
    let luminance = (0.2627 * light[0] + 0.678 * light[1] + 0.0593 * light[2]) / 1000
    return light.map { light in
      let value: Double
      if transfer == 16 {
        let power = pow(light / 10_000, 0.1593017578125)
        value = pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
      } else {
        let scene = luminance > 0 ? light / 1000 * pow(luminance, 1 / 1.2 - 1) : 0
        value =
          scene <= 1 / 12
          ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
      }
      return UInt8((255 * min(1, value)).rounded())
    }
  }
}
