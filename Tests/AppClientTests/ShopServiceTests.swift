import Foundation
import TestSupport
import Testing

@testable import AppClient

/// The sample client against `vq serve`: all calls that an app makes.
@Suite struct ShopServiceTests {
  /// A server that ends with the value that holds it.
  private final class Server {
    private let process = Process()
    let service: ShopService

    init(_ folder: TemporaryDirectory) throws {
      // The command is built beside the tests.
      let binary = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("vq")
      let index = folder.path + "/shop.vq"
      let indexing = try Process.run(
        binary, arguments: ["index", SampleShop.catalogue, "--index", index, "-q"])
      indexing.waitUntilExit()
      process.executableURL = binary
      // A debug build takes its time.
      process.arguments = ["serve", "--index", index, "--port", "0", "--deadline", "60000"]
      process.arguments! += ["--max-deadline", "60000", "--quiet"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let base = line.trimmingCharacters(in: .whitespacesAndNewlines) + "v1/"
      service = ShopService(base: try #require(URL(string: base)))
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }
  }

  @Test func `an app's questions are answered`() async throws {
    let folder = try TemporaryDirectory()
    let server = try Server(folder)
    let service = server.service
    let photo = FileManager.default.contents(atPath: SampleShop.image("oats.jpg"))
    let answer = try await service.match(jpeg: photo, labels: ["box", "a, b"])
    #expect(answer.values.first?.id == "oats")
    let words = try await service.match(jpeg: nil, labels: ["drinkware"])
    let rest = try await service.match(jpeg: nil, labels: [], continuation: words.continuation)
    let ids = (words.values + rest.values).map { "\($0.type):\($0.id)" }
    #expect(words.values.filter { $0.type == "product" }.count == 5)
    #expect(rest.values.contains { $0.type == "product" } && Set(ids).count == ids.count)

    let named = try await service.entities("product", ids: ["oats", "none", "mug, red", "mug-red"])
    #expect(named.map(\.id) == ["oats", "mug-red"])
    #expect(named.first?.product?.price?.amount == "3.60")
    #expect(try await service.entities("product", ids: []).isEmpty)
    #expect(try await service.entities("store", matching: "mark").map(\.id) == ["market"])
    #expect(!(try await service.suggestedEntities("product")).isEmpty)
    let cheap = PropertyQuestion(
      type: "product",
      comparators: [.init(property: "price", comparison: "lessThanOrEqualTo", value: "5")],
      mode: "and", sortedBy: [.init(property: "price", order: "ascending")], limit: 100)
    let found = try await service.entities(cheap)
    #expect(found.contains { $0.id == "oats" })
    #expect(found.allSatisfy { Double($0.product?.price?.amount ?? "") ?? 99 <= 5 })
  }
}
