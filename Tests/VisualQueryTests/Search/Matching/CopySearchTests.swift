import Foundation
import PixelMatch
import Reading
import TestSupport
import Testing

@testable import ShopSearch
@testable import ShopStore
import VisualQuery

/// Catalogues and questions in which a glance at an image might say too much: each must have the answer of the whole search.
@Suite struct CopySearchTests {
  /// A catalogue of some images besides those of the sample shop.
  private struct Shop {
    let folder = try? TemporaryDirectory()
    var directory: String { folder!.path + "/shop.vq" }

    /// - Parameter rows: The fields of each entity, with its images.
    init(_ rows: [(fields: String, images: [PixelBuffer])]) async throws {
      let path = try #require(folder).path
      try FileManager.default.copyItem(
        atPath: SampleShop.folder.path + "/shop/images", toPath: path + "/images")
      var lines = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
        .split(separator: "\n").filter { row in
          ["mug", "oats", "coffee", "kettle", "notebook", "backpack", "market"].contains {
            row.contains("\"id\": \"\($0)")
          }
        }.map(String.init)
      for (number, row) in rows.enumerated() {
        let names = row.images.indices.map { "own-\(number)-\($0).jpg" }
        for (name, image) in zip(names, row.images) {
          try Data(image.jpeg(quality: 92)).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        lines.append(#"{"images":\#(names),\#(row.fields)}"#)
      }
      let feed = try #require(folder).write(lines.joined(separator: "\n"), to: "feed.jsonl")
      _ = try await Indexer(directory: path + "/shop.vq").run(path: feed, imagesRoot: path)
    }

    func searches() throws -> BothSearches { BothSearches(try Catalogue(directory: directory)) }
  }

  private static func product(_ id: String, _ more: String = "") -> String {
    #""type":"product","id":"\#(id)","title":"T"\#(more)"#
  }

  private static func decoded(_ image: PixelBuffer, quality: Int, side: Int = 1024) throws
    -> PixelBuffer
  {
    try ImageDecoder().decode(
      image.reduced(toLongerSide: side).jpeg(quality: quality), longerSide: 1024)
  }

  private static func copy(_ name: String, side: Int = 640) throws -> PixelBuffer {
    try PictureCanvas.product(name, longerSide: side)
  }

  /// An image in which all that is not white, or what lies in a box, is changed.
  private static func changed(
    _ image: PixelBuffer, in box: (x: Range<Double>, y: Range<Double>) = (0..<1, 0..<1),
    _ change: (_ pixel: SIMD3<Double>, _ x: Int, _ y: Int) -> SIMD3<Double>
  ) -> PixelBuffer {
    var bytes = SyntheticPicture.rgba(image)
    for y in 0..<image.height where box.y.contains(Double(y) / Double(image.height)) {
      for x in 0..<image.width where box.x.contains(Double(x) / Double(image.width)) {
        let place = 4 * (y * image.width + x)
        let pixel = SIMD3(
          Double(bytes[place]), Double(bytes[place + 1]), Double(bytes[place + 2]))
        let other = change(pixel, x, y)
        for channel in 0..<3 { bytes[place + channel] = UInt8(max(0, min(255, other[channel]))) }
      }
    }
    return SyntheticPicture.picture(bytes, image.width, image.height)
  }

  private static func tinted(_ image: PixelBuffer, by share: Double) -> PixelBuffer {
    changed(image) { pixel, _, _ in
      pixel.min() > 225 ? pixel : pixel * SIMD3(1 + share, 1 - share / 2, 1 - share)
    }
  }

  private static func onCanvas(_ image: PixelBuffer, margin: Double, gray: UInt8 = 255) throws
    -> PixelBuffer
  {
    let (across, down) = (
      Int(margin * Double(image.width)), Int(margin * Double(image.height))
    )
    var canvas = PictureCanvas(
      width: image.width + 2 * across, height: image.height + 2 * down, gray: gray)
    canvas.paste(image, x: across, y: down)
    return try canvas.picture
  }

  /// A scene of many corners with images of the sample shop in it.
  private static func scene(_ names: [String], share: Double, seed: UInt64) throws -> PixelBuffer {
    var canvas = PictureCanvas(SyntheticPicture.scene(width: 900, height: 700, seed: seed))
    for (index, name) in names.enumerated() {
      let part = try copy(name, side: Int(share * 900))
      canvas.paste(part, x: 30 + index * 300, y: 40 + index * 120)
    }
    return try canvas.picture
  }

  /// Catalogues whose images are like each other.
  enum Likeness: String, CaseIterable, Sendable {
    case tints, words, margins, backgrounds, crops, samePicture, sameOfStore, severalOfOne,
      savedTwice, mirrored, turned, otherThings, largeThing, gray, nearlyPlain, oneWithPart,
      halves, page

    func rows() throws -> [(fields: String, images: [PixelBuffer])] {
      let base = try CopySearchTests.copy("coffee-tin")
      func products(_ images: [PixelBuffer]) -> [(fields: String, images: [PixelBuffer])] {
        images.enumerated().map {
          (CopySearchTests.product("own\($0)", #","group":"own""#), [$1])
        }
      }
      switch self {
      case .tints:
        return products(
          [0, 0.03, 0.06, 0.12, 0.25, 0.5].map { CopySearchTests.tinted(base, by: $0) })
      case .words:
        return products(
          (0..<4).map { word in
            CopySearchTests.changed(base, in: (0.4..<0.6, 0.45..<0.5)) { _, x, y in
              SIMD3(repeating: (x / 6 * (word + 3) + y / 6 * (word + 1)) % 5 < 2 ? 20 : 235)
            }
          })
      case .margins:
        return products(
          try [0, 0.1, 0.25, 0.5].map { try CopySearchTests.onCanvas(base, margin: $0) })
      case .backgrounds:
        return products(
          try [255, 200, 90].map { try CopySearchTests.onCanvas(base, margin: 0.2, gray: $0) })
      case .crops:
        return products(
          [0, 0.02, 0.06, 0.15].map { share in
            let (x, y) = (Int(share * Double(base.width)), Int(share * Double(base.height)))
            return base.cropped(x: x..<base.width - x, y: y..<base.height - y)
          })
      case .samePicture: return products([base, base])
      case .sameOfStore:
        return [
          (CopySearchTests.product("own0"), [base]),
          (#""type":"store","id":"own1","title":"S""#, [base]),
        ]
      case .severalOfOne:
        return [
          (
            CopySearchTests.product("own0"),
            [
              base, try CopySearchTests.decoded(base, quality: 40),
              try CopySearchTests.copy("oats"),
            ]
          )
        ]
      case .savedTwice:
        return products([base, try CopySearchTests.decoded(base, quality: 30, side: 200)])
      case .mirrored, .turned:
        let turned = SyntheticPicture.warped(base, width: base.width, height: base.height) { x, y in
          self == .mirrored
            ? SIMD2(Double(base.width) - x, y)
            : SIMD2(Double(base.width) - x, Double(base.height) - y)
        }
        return products([base, turned])
      case .otherThings:
        return products(
          try (0..<3).map {
            try CopySearchTests.scene(
              ["kettle", "lantern", "backpack"], share: 0.12 + 0.08 * Double($0), seed: UInt64($0))
          })
      case .largeThing:
        // A thing with strong corners in one half, and one of the sample shop on a plain ground in the other.
        return products(
          try ["mug-blue", "kettle"].map { name in
            var canvas = PictureCanvas(width: 900, height: 450, gray: 235)
            canvas.paste(SyntheticPicture.scene(width: 430, height: 430, seed: 7), x: 10, y: 10)
            canvas.paste(try CopySearchTests.copy(name, side: 300), x: 520, y: 80)
            return try canvas.picture
          })
      case .gray:
        return products(
          [1, 0.9].map { light in
            CopySearchTests.changed(base) { pixel, _, _ in
              SIMD3(repeating: pixel.sum() / 3 * light)
            }
          })
      case .nearlyPlain:
        return products(
          [40, 60, 61].map { size in
            CopySearchTests.changed(
              SyntheticPicture.scene(width: 500, height: 500, seed: UInt64(size))
            ) { pixel, x, y in
              max(abs(x - 250), abs(y - 250)) < size ? pixel : SIMD3(200, 180, 90)
            }
          })
      case .oneWithPart:
        let part = try CopySearchTests.copy("notebook", side: 90)
        var canvas = PictureCanvas(base)
        canvas.paste(part, x: 8, y: 8)
        return products([try canvas.picture])
      case .page:
        return products([try PictureCanvas.page(["kettle", "oats", "notebook", "backpack"])])
      case .halves:
        let scene = SyntheticPicture.scene(width: 600, height: 600, seed: 3)
        return products([
          scene, scene.cropped(x: 0..<300, y: 0..<600), scene.cropped(x: 150..<600, y: 150..<600),
        ])
      }
    }

    /// True if no search of such an image may end after a glance: others look the same, or nearly so.
    var isNeverSure: Bool {
      switch self {
      case .samePicture, .sameOfStore, .severalOfOne, .savedTwice, .mirrored, .turned, .gray,
        .page:
        true
      default: false
      }
    }
  }

  /// Would break if a glance took an image for that of its sibling, was surer of it than the whole search, or missed another thing.
  @Test(arguments: Likeness.allCases)
  func `images that are like others have the answer of the whole search`(
    likeness: Likeness
  ) async throws {
    let rows = try likeness.rows()
    let shop = try await Shop(rows)
    let searches = try shop.searches()
    for (number, image) in rows.flatMap(\.images).enumerated() {
      for (quality, side) in [(92, 1024), (60, 1024), (40, 200)] {
        let asked = try await searches.compare(
          SemanticContent(pixelBuffer: try Self.decoded(image, quality: quality, side: side)),
          "\(likeness) \(number) \(quality) \(side)")
        #expect(!asked.isOfCopy || !likeness.isNeverSure, "\(likeness) \(number)")
      }
    }
  }

  /// Would break if an image were taken for a rival only since it has the same colors, so that a copy took a whole search.
  @Test func `images of the same colors and other content do not hold up a glance`() async throws {
    let base = SyntheticPicture.scene(width: 640, height: 640, seed: 11)
    // The same tiles in another order, a little paler: the histograms are near, and no keypoints agree.
    let side = 8
    let (width, height) = (base.width / side, base.height / side)
    var canvas = PictureCanvas(width: base.width, height: base.height, gray: 255)
    for tile in 0..<side * side {
      let place = (tile * 37 + 11) % (side * side)
      canvas.paste(
        base.cropped(
          x: tile % side * width..<(tile % side + 1) * width,
          y: tile / side * height..<(tile / side + 1) * height),
        x: place % side * width, y: place / side * height)
    }
    let other = Self.changed(try canvas.picture) { pixel, _, _ in pixel * 0.9 + SIMD3(repeating: 25)
    }
    let shop = try await Shop([
      (Self.product("own0"), [base]), (Self.product("own1"), [other]),
    ])
    let asked = try await shop.searches().compare(
      SemanticContent(pixelBuffer: try Self.decoded(base, quality: 80)), "tiles")
    #expect(asked.isOfCopy)
    #expect(asked.answer.matches.first?.value.id.value == "own0")
  }

  /// Would break if a glance did not see another thing in front of a copy, or beside it.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `what covers a part of a copy, or lies beside it, is found`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let searches = BothSearches(try await Self.samples.value.1)
    let (large, small) = (
      try #require(Self.plain.randomElement(using: &generator)),
      try #require(Self.plain.randomElement(using: &generator))
    )
    let share = Double.random(in: 0.03...0.5, using: &generator)
    let part = try Self.copy(small, side: max(12, Int(share * 640)))
    var canvas = PictureCanvas(try Self.copy(large))
    if seed % 2 == 0 {
      canvas.paste(
        part, x: .random(in: 0...max(0, canvas.width - part.width), using: &generator),
        y: .random(in: 0...max(0, canvas.height - part.height), using: &generator))
    } else {
      let whole = try canvas.picture
      canvas = PictureCanvas(
        width: whole.width + part.width + 20, height: whole.height,
        gray: .random(in: 180...255, using: &generator))
      canvas.paste(whole, x: 0, y: 0)
      canvas.paste(part, x: whole.width + 10, y: (whole.height - part.height) / 2)
    }
    _ = try await searches.compare(
      SemanticContent(
        pixelBuffer: try Self.decoded(
          canvas.picture, quality: .random(in: 50...95, using: &generator))),
      "\(small) on \(large), seed \(seed), share \(share)")
  }

  /// Would break if a copy in another light, or in paler or warmer colors, were surer after a glance than in the whole search.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `a copy in other colors is as sure as in the whole search`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let searches = BothSearches(try await Self.samples.value.1)
    let name = try #require(Self.plain.randomElement(using: &generator))
    let light = SIMD3(
      Double.random(in: 0.85...1.1, using: &generator),
      Double.random(in: 0.85...1.1, using: &generator),
      Double.random(in: 0.85...1.1, using: &generator))
    let share = Double.random(in: 0...1, using: &generator)
    let vividness = Double.random(in: 0.6...1.3, using: &generator)
    let image = Self.changed(
      try Self.copy(name, side: .random(in: 200...640, using: &generator)),
      in: (0..<1, 0..<(seed % 4 == 3 ? 0.5 : 1))
    ) { pixel, _, _ in
      let gray = SIMD3(repeating: pixel.sum() / 3)
      let seen = (gray + vividness * (pixel - gray)) * light
      return pixel + share * (seen - pixel)
    }
    _ = try await searches.compare(
      SemanticContent(
        pixelBuffer: try Self.decoded(image, quality: .random(in: 40...95, using: &generator))),
      "\(name), seed \(seed), light \(light), vividness \(vividness), share \(share)")
  }

  private static let samples = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  /// Images of the sample shop of which a glance is sure.
  private static let plain = ["kettle", "coffee-tin", "oats", "backpack", "lantern", "notebook"]

  private static func question(_ change: (inout SemanticContent, inout MatchOptions) throws -> Void)
    throws -> (SemanticContent, MatchOptions)
  {
    var content = SemanticContent(pixelBuffer: try copy("kettle"))
    var options = MatchOptions(timeout: nil)
    try change(&content, &options)
    return (content, options)
  }

  /// Questions about an image that a glance recognizes, each with whether the search may end after the glance.
  private static let questions:
    [(
      name: String, mayEnd: Bool,
      change: @Sendable (inout SemanticContent, inout MatchOptions) -> Void
    )] = [
      ("nothing", true, { _, _ in }),
      ("its label", true, { content, _ in content.labels = ["kettle"] }),
      ("another label", false, { content, _ in content.labels = ["mug"] }),
      (
        "a rarer label, too", false, { content, _ in content.labels = ["kitchenware", "notebook"] }
      ),
      ("an unknown label", true, { content, _ in content.labels = ["zebra"] }),
      ("words", false, { content, _ in content.text = "but in green" }),
      ("a code", false, { content, _ in content.codes = ["4006381333931"] }),
      ("text", false, { content, _ in content.texts = [QuestionText("OATS").line] }),
      (
        "a part", false,
        { content, _ in
          content.region = PictureRegion(x: 0.1, y: 0.1, width: 0.5, height: 0.5)
        }
      ),
      (
        "all of it as a part", true,
        { content, _ in content.region = PictureRegion(x: 0, y: 0, width: 1, height: 1) }
      ),
      ("stores", false, { _, options in options.types = [.store] }),
      ("products", true, { _, options in options.types = [.product] }),
      ("no products", false, { _, options in options.typeLimits = [.product: 0] }),
      ("no stores", false, { _, options in options.typeLimits = [.store: 0] }),
      ("one", true, { _, options in options.limit = 1 }),
      ("what is less sure", false, { _, options in options.minimumConfidence = 0.3 }),
      ("what is surer", true, { _, options in options.minimumConfidence = 0.99 }),
      ("what is as good as certain", false, { _, options in options.minimumConfidence = 0.99995 }),
      ("nothing at all", false, { _, options in options.minimumConfidence = 1 }),
      (
        "stores nearby", true,
        { _, options in options.near = GeoPoint(latitude: 53.5, longitude: 10) }
      ),
      (
        "stores within a radius", false,
        { _, options in
          (options.near, options.radius) = (GeoPoint(latitude: 0, longitude: 0), 1000)
        }
      ),
      ("variants", true, { _, options in options.isGrouped = true }),
      ("similar things", true, { _, options in options.showsSimilar = true }),
      ("what the catalogue surely has", true, { _, options in options.subject = .catalogued }),
      ("another language", true, { _, options in options.locale = "de" }),
      ("what is open", true, { _, options in options.date = Date(timeIntervalSince1970: 1e9) }),
      ("sure answers", true, { _, options in options.answers = .sure }),
      ("a filter that it meets", true, { _, options in filter(&options, "price>1") }),
      ("a filter that only it meets", true, { _, options in filter(&options, "id=kettle") }),
      (
        "a filter that only it meets, and no stores", false,
        { _, options in
          filter(&options, "id=kettle")
          options.types = [.product]
        }
      ),
      ("a filter that it does not meet", false, { _, options in filter(&options, "price<1") }),
      ("a color", false, { _, options in filter(&options, "color=green") }),
    ]

  private static func filter(_ options: inout MatchOptions, _ condition: String) {
    let comparators = EntityComparator(condition).map { [$0] } ?? []
    options.filters = [.product: EntityFilter(comparators: comparators)]
  }

  /// Would break if a question for more than a glance tells had less of an answer, or if one that a glance answers cost as much as a photo.
  @Test(arguments: questions.indices)
  func `whatever is asked beside a copy has its whole answer`(number: Int) async throws {
    let (name, mayEnd, change) = Self.questions[number]
    let searches = BothSearches(try await Self.samples.value.1)
    let (content, options) = try Self.question { change(&$0, &$1) }
    do {
      let asked = try await searches.compare(content, name, options)
      #expect(asked.isOfCopy == mayEnd, "\(name)")
    } catch let error as MatchError {
      // A field that the sample shop does not have.
      #expect(error.code == .invalidFilter && name == "a color")
    }
  }

  /// Would break if a search ended before a rule hid or moved what it found.
  @Test(arguments: [
    #"{"name":"r","do":"pin","entities":["product:oats"]}"#,
    #"{"name":"r","do":"boost","factor":9,"where":["price>1"]}"#,
    #"{"name":"r","do":"hide","entities":["product:kettle"]}"#,
    #"{"name":"r","do":"hide","entities":["store:market"]}"#,
  ])
  func `rules of the shop hold for copies`(rule: String) async throws {
    var searches = BothSearches(try await Self.samples.value.1)
    searches.matcher.rules = try ShopRules(
      json: JSONValue(json: Array(#"{"rules":[\#(rule)]}"#.utf8)))
    let asked = try await searches.compare(
      SemanticContent(pixelBuffer: try Self.copy("kettle")), rule)
    #expect(!asked.isOfCopy)
    if rule.contains("product:kettle") { #expect(asked.answer.emptyReason == .filteredOut) }
  }

  /// Would break if what people said about a copy had no effect, if statements about other images made all searches longer, or if a statement
  /// about the answer to a copy were not found again.
  @Test func `statements about a copy have their effect`() async throws {
    let shop = try await Shop([])
    let kettle = SemanticContent(pixelBuffer: try Self.copy("kettle"))
    func ask(_ content: SemanticContent) async throws -> BothSearches.Asked {
      try await shop.searches().compare(content, "statements")
    }
    let before = try await ask(kettle)
    #expect(before.isOfCopy && before.answer.matches.first?.value.id.value == "kettle")
    let matcher = try shop.searches().matcher
    let query = try matcher.feedbackQuery(ofContinuation: #require(before.answer.continuation))
    _ = try KeptFeedback(directory: shop.directory).add(
      FeedbackStatement.Content(
        query: query, chosen: EntityID(type: .product, value: "oats"),
        rejected: [EntityID(type: .product, value: "kettle")]), state: .active, time: 1)
    let after = try await ask(kettle)
    #expect(!after.isOfCopy && after.answer.matches.first?.value.id.value == "oats")
    #expect(after.answer.matches.allSatisfy { $0.value.id.value != "kettle" })
    let other = try await ask(SemanticContent(pixelBuffer: try Self.copy("coffee-tin")))
    #expect(other.isOfCopy)
  }

  /// Would break if a list that began with a glance could not be continued, or searched again.
  @Test func `a list of a copy is continued and searched again`() async throws {
    let matcher = BothSearches(try await Self.samples.value.1).matcher
    let content = SemanticContent(labels: ["kettle"], pixelBuffer: try Self.copy("kettle"))
    var pages: [[MatchResponse]] = []
    for endsEarly in [false, true] {
      var options = MatchOptions(limit: 1, timeout: nil)
      options.endsEarly = endsEarly
      let first = try await matcher.values(for: content, options: options)
      let token = try #require(first.continuation)
      let next = try await matcher.values(continuing: token, timeout: nil)
      let again = try await matcher.values(continuing: token, fromStart: true, timeout: nil)
      let anew = try await matcher.values(continuing: token, refresh: true, timeout: nil)
      pages.append([first, next, again, anew])
    }
    for (whole, early) in zip(pages[0], pages[1]) {
      #expect(early.matches.map(\.value.id) == whole.matches.map(\.value.id))
      #expect(early.matches.map(\.tier) == whole.matches.map(\.tier))
      #expect(early.possible.map(\.value.id) == whole.possible.map(\.value.id))
      #expect(early.isComplete == whole.isComplete && early.hasMore == whole.hasMore)
    }
    #expect(!pages[1][1].matches.isEmpty)
  }

  /// Would break if a search that a deadline cut claimed to be done, lost what a glance had found, or said that no image was searched.
  @Test func `a deadline at any place gives a valid part of the answer`() async throws {
    let catalogue = try await Self.samples.value.1
    let content = SemanticContent(labels: ["kettle"], pixelBuffer: try Self.copy("kettle"))
    func answer(_ timeout: Duration) async throws -> (MatchResponse, looks: Int) {
      let clock = SteppingClock()
      let matcher = Matcher(catalogue: catalogue, pool: WorkerPool(width: 1), clock: clock)
      let options = MatchOptions(timeout: timeout, endsEarly: true)
      return (try await matcher.values(for: content, options: options), clock.lookCount)
    }
    let (complete, looks) = try await answer(.seconds(1000))
    #expect(complete.isComplete && complete.matches.first?.tier == .exact)
    var isFound = false
    for stop in 0..<looks {
      let (answer, _) = try await answer(.milliseconds(stop))
      #expect(answer.isComplete == (answer.coverage == 1))
      #expect(!answer.isComplete || answer.matches.first?.value == complete.matches.first?.value)
      let isSure = answer.matches.first?.tier == .exact
      // Once a glance has found the copy, only words and codes are left.
      if isSure, !answer.isComplete, let coverage = answer.imageCoverage {
        isFound = isFound || coverage.searched == coverage.total
      }
    }
    #expect(isFound || CodeReader() == nil)
  }

  /// Would break if answers that come stage by stage ended with another one than the search.
  @Test func `answers by stage end with that of the search`() async throws {
    let matcher = BothSearches(try await Self.samples.value.1).matcher
    let content = SemanticContent(pixelBuffer: try Self.copy("kettle"))
    let options = MatchOptions(timeout: nil, endsEarly: true)
    var last: MatchResponse?
    for try await answer in matcher.answers(for: content, options: options) { last = answer }
    #expect(try await matcher.values(for: content, options: options) == last)
  }

  /// Would break if a code in a copy were not read, or if the answer lost the copy beside the product of the code.
  @Test(
    .enabled(if: CodeReader() != nil, "zbar is not installed"), arguments: [true, false])
  func `codes in a copy are read`(isKnown: Bool) async throws {
    var canvas = PictureCanvas(SyntheticPicture.scene(width: 900, height: 700, seed: 5))
    canvas.paste(try DrawnCode.ean("4006381333931", module: 2, degrees: 0), x: 250, y: 150)
    let shop = try await Shop([
      (Self.product("own0"), [try canvas.picture]),
      (
        Self.product("own1", isKnown ? #","gtin":"4006381333931""# : ""),
        [SyntheticPicture.scene(width: 300, height: 300, seed: 6)]
      ),
    ])
    let asked = try await shop.searches().compare(
      SemanticContent(pixelBuffer: try canvas.picture), "a code")
    #expect(asked.answer.unmatchedCodes.isEmpty == isKnown)
    #expect(asked.answer.matches.contains { $0.tier == .code } == isKnown)
    #expect(asked.answer.matches.contains { $0.value.id.value == "own0" })
  }
}

/// Models of text and images beside copies.
@Suite(.enabled(if: ModelFolder.hasRuntime, "ONNX Runtime is not installed"))
struct CopySearchModelTests {
  /// Would break if the text or the vector of a copy were left out since a glance had recognized it.
  @Test func `with models, a copy is searched to the end`() async throws {
    let folder = try await CatalogueTests.sampleCatalogue()
    let models = try ModelFolder()
    var searches = BothSearches(try Catalogue(directory: folder.path + "/shop.vq"))
    searches.matcher.models = try ReadingModels(folder: models.path)
    let image = SemanticContent(pixelBuffer: try PictureCanvas.product("kettle", longerSide: 640))
    let asked = try await searches.ask(image, MatchOptions(timeout: nil), endsEarly: true)
    #expect(!asked.isOfCopy && asked.steps.contains(.text))
    #expect(asked.answer.matches.first?.value.id.value == "kettle")
  }
}
