import Foundation
import Synchronization
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// The sample shop as a service, without sockets.
final class ServedShop {
  let folder: TemporaryDirectory
  private(set) var service: ShopService
  let index: String
  private let keys: APIKeys?
  private let lines = LogLines()

  /// - Parameter feed: Writes another feed than the sample shop's into the folder, and returns its path.
  init(
    feed: (TemporaryDirectory) throws -> String = { _ in SampleShop.catalogue },
    shop: ShopSettings = ShopSettings(), imagesRoot: String? = nil,
    keys: APIKeys? = nil, rate: Double? = nil, computingRate: Double? = nil, appIDs: [String] = [],
    // A debug build takes its time.
    deadlines: DeadlineLimits = DeadlineLimits(standard: .seconds(600), maximum: .seconds(600)),
    changeBudget: Duration = .seconds(600),
    onCatalogueError: @escaping @Sendable (CatalogueError) -> Void = { _ in }
  ) async throws {
    self.keys = keys
    folder = try TemporaryDirectory()
    index = folder.path + "/shop.vq"
    let templates = [EntityType.product: try LinkTemplate("https://shop.example/p/{id}")]
    var shop = shop
    shop.links = LinkSettings(templates: templates)
    let path = try feed(folder)
    let root = imagesRoot.map { [folder] in folder.path + "/" + $0 }
    _ = try await Indexer(directory: index, settings: shop).run(path: path, imagesRoot: root)
    var settings = ShopService.Settings()
    settings.rate = rate
    settings.computingRate = computingRate
    settings.appIDs = appIDs
    settings.deadlines = deadlines
    settings.changeBudget = changeBudget
    let catalogue = try ServedCatalogue(
      try CurrentCatalogue(directory: index), onError: onCatalogueError)
    service = ShopService(
      ShopContext(
        catalogue: catalogue, pool: WorkerPool(width: 2), changePool: WorkerPool(width: 1),
        settings: settings, replica: nil, keys: keys, metrics: Metrics(),
        log: ServerLog(deliver: { [lines] in lines.append($0) })))
  }

  /// Serves the same index with other settings.
  func restart(_ change: (inout ShopService.Settings) -> Void) {
    let shop = service.shop
    var settings = shop.settings
    change(&settings)
    service = ShopService(
      ShopContext(
        catalogue: shop.catalogue, pool: shop.pool, changePool: shop.changePool,
        settings: settings, replica: nil, keys: keys, metrics: shop.metrics, log: shop.log))
  }

  /// The log so far.
  var log: String {
    get async {
      await service.shop.log.finish(within: .seconds(60))
      return lines.text
    }
  }

  /// Asks as a client would, from the bytes of a head on.
  func ask(
    _ line: String, _ fields: [String] = [], _ body: [UInt8] = [],
    arrival: ContinuousClock.Instant = .now
  ) async throws -> HTTPResponse {
    let info = try Self.info(line, ["Content-Length: \(body.count)"] + fields)
    switch service.decide(on: info) {
    case .answer(let response, _): return response
    case .work(let work):
      return await work.run(HTTPRequest(info: info, body: body, arrival: arrival, wait: .zero))
    }
  }

  /// Returns the lane of the work that answers a request, or `nil` if it is answered at once.
  func lane(of line: String, _ fields: [String]) throws -> Lane? {
    guard case .work(let work) = service.decide(on: try Self.info(line, fields)) else { return nil }
    return work.lane
  }

  /// Returns the work that a request is, or `nil` if it is answered at once.
  func work(
    _ line: String, _ fields: [String] = [], from peer: Peer = .local
  ) throws -> (work: Work, info: RequestInfo)? {
    let info = try Self.info(line, fields, peer)
    guard case .work(let work) = service.decide(on: info) else { return nil }
    return (work, info)
  }

  /// Returns the answer that the event loop gives by the head only, or `nil` if the request is work for a thread.
  func immediateAnswer(to line: String, _ fields: [String] = []) throws -> HTTPResponse? {
    guard case .answer(let response, _) = service.decide(on: try Self.info(line, fields)) else {
      return nil
    }
    return response
  }

  static func info(
    _ line: String, _ fields: [String], _ peer: Peer = .local
  ) throws -> RequestInfo {
    var parser = RequestParser()
    let lines = ["\(line) HTTP/1.1", "Host: shop.example"] + fields
    parser.append(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    guard case .head(let head)? = try parser.next() else {
      throw Problem(.badRequest, "'\(line)' has no head")
    }
    return RequestInfo(head: head, identity: RequestIdentity(head.fields), peer: peer)
  }

  func json(
    _ line: String, _ fields: [String] = [], _ body: String = ""
  ) async throws -> [String: Any] {
    let type = body.isEmpty ? [] : ["Content-Type: application/json"]
    let response = try await ask(line, fields + type, Array(body.utf8))
    let value = try JSONSerialization.jsonObject(with: Data(response.body))
    return try #require(value as? [String: Any])
  }

  /// The ids of the entities in an answer.
  static func ids(_ answer: [String: Any], _ key: String = "entities") -> [String] {
    (answer[key] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
  }

  /// Returns an answer without its time and its name, which differ from run to run.
  static func plain(_ body: [UInt8]) -> String {
    String(decoding: body, as: UTF8.self)
      .replacing(/"elapsedMs":[0-9.e-]+/, with: "").replacing(/"query":"[^"]*"/, with: "")
  }
}

/// The lines of a log.
private final class LogLines: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func append(_ lines: [UInt8]) { bytes.withLock { $0 += lines } }
  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}
