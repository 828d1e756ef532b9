import AppIntents
import CoreImage
import CoreVideo
import Foundation
import VisualIntelligence

/// What Visual Intelligence shows of the shop: products and stores in one list.
@UnionValue
enum VisualSearchResult {
  case product(ProductEntity)
  case store(StoreEntity)
}

/// Called by Visual Intelligence with what the person points at.
struct ShopVisualQuery: IntentValueQuery {
  func values(for input: SemanticContentDescriptor) async throws -> [VisualSearchResult] {
    let jpeg = input.pixelBuffer.flatMap { $0.withUnsafeBuffer(Self.jpeg) }
    let answer = try await ShopService.shared.match(jpeg: jpeg, labels: input.labels)
    return answer.values.map { value in
      value.type == "store" ? .store(StoreEntity(value)) : .product(ProductEntity(value))
    }
  }

  /// Some ten kilobytes: the service looks at no more than 1024 pixels a side.
  static func jpeg(_ buffer: CVPixelBuffer) -> Data? {
    guard let colors = CGColorSpace(name: CGColorSpace.sRGB) else { return nil }
    return CIContext().jpegRepresentation(of: CIImage(cvPixelBuffer: buffer), colorSpace: colors)
  }
}

/// Opens a product that was tapped in the list.
struct OpenProduct: OpenIntent {
  static let title: LocalizedStringResource = "Open product"
  @Parameter(title: "Product") var target: ProductEntity

  @MainActor func perform() async throws -> some IntentResult {
    Navigation.shared.open(target.url)
    return .result()
  }
}

/// Opens a store that was tapped in the list.
struct OpenStore: OpenIntent {
  static let title: LocalizedStringResource = "Open store"
  @Parameter(title: "Store") var target: StoreEntity

  @MainActor func perform() async throws -> some IntentResult {
    Navigation.shared.open(target.url)
    return .result()
  }
}

/// "More results": the whole search in the app.
#if !APP_INTENTS_STUB
  @AppIntent(schema: .visualIntelligence.semanticContentSearch)
#endif
struct ShowAllResults {
  static let title: LocalizedStringResource = "Search the shop"
  static let openAppWhenRun = true

  var semanticContent: SemanticContentDescriptor

  @MainActor func perform() async throws -> some IntentResult {
    let jpeg = semanticContent.pixelBuffer.flatMap { $0.withUnsafeBuffer(ShopVisualQuery.jpeg) }
    let answer = try await ShopService.shared.match(jpeg: jpeg, labels: semanticContent.labels)
    Navigation.shared.show(answer)
    return .result()
  }
}

/// Where the app is: replace it by your own.
@MainActor final class Navigation {
  static let shared = Navigation()
  /// The results on the screen, and what goes on from them without the picture.
  private(set) var results: [MatchAnswer.Value] = []
  private var continuation: String?

  func open(_ url: URL?) { _ = url }

  func show(_ answer: MatchAnswer) {
    results = answer.values
    continuation = answer.continuation
  }

  /// The next page, when the person has scrolled to the end.
  func showMore() async throws {
    guard let continuation else { return }
    let page = try await ShopService.shared.match(
      jpeg: nil, labels: [], continuation: continuation)
    results += page.values
    self.continuation = page.continuation
  }
}
