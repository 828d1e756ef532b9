import AppIntents
import CoreVideo
import Foundation
import VisualQueryClient

/// The shop as the app's intents and queries ask it. The app adds one to its dependencies at launch
/// (``AppSetup/addDependencies(_:copy:upload:signing:background:location:)``).
nonisolated final class ShopSearch: Sendable {
  /// Computes the signature of an image on the device; `nil` for an image that it cannot read.
  typealias Signing = @Sendable (CVPixelBuffer) -> String?

  let client: ShopClient
  private let encoder: ImageEncoder
  private let signing: Signing?
  /// The answers of the last minutes: the system asks several times for one tap.
  private let answers: SharedAnswers
  private let thumbnails: ThumbnailLoader
  /// The file with the copy of the shop for answers without a connection.
  private let copy: URL?
  private let location: @Sendable () -> GeoPoint?
  private let background: ShopClient.ThumbnailBackground?

  /// The time for the images of cards. Cards whose image is late have none.
  private static let imageTime = Duration.milliseconds(1500)

  init(
    _ configuration: ServiceConfiguration, copy: URL? = nil,
    upload: ImageEncoder.Form = .jpeg(quality: 0.8), signing: Signing? = nil,
    background: ShopClient.ThumbnailBackground? = nil,
    location: @escaping @Sendable () -> GeoPoint? = { nil }
  ) {
    self.signing = signing
    self.background = background
    client = ShopClient(configuration)
    encoder = ImageEncoder(form: upload)
    answers = SharedAnswers(client: client)
    thumbnails = ThumbnailLoader(client: client)
    self.copy = copy
    self.location = location
  }

  /// Returns what the shop has of an image, best first.
  ///
  /// Equal questions are asked once, and the image is uploaded once. Without a connection, only the labels are searched
  /// for, in the copy on the device.
  ///
  /// - Parameters:
  ///   - image: The image, or its signature (``image(ofPixels:)``).
  ///   - codes: The bar codes that the app's scanner has read.
  ///   - texts: The lines of text that the app has read.
  func matches(
    image: QueryImage?, labels: [String] = [], codes: [String] = [], texts: [String] = [],
    type: EntityType? = nil
  ) async throws -> MatchedScene {
    try Task.checkCancellation()
    guard image != nil || !labels.isEmpty || !codes.isEmpty else {
      return MatchedScene(entities: [], continuation: nil, isFromService: false)
    }
    do {
      return MatchedScene(
        try await answers.match(
          MatchQuestion(
            image: image, labels: labels, codes: codes, texts: texts.map { QuestionText($0) },
            type: type,
            near: coarseLocation)))
    } catch let error as ClientError where error.isTemporary {
      let copy = try copied(or: error)
      let entities = copy.entities(withLabels: labels, limit: 8)
        .filter { type == nil || $0.type == type }
      return MatchedScene(entities: entities, continuation: nil, isFromService: false)
    }
  }

  /// Returns what is sent of a pixel buffer: a small file, or its signature if images stay on the device.
  ///
  /// - Throws: ``UnreadableImage`` if it cannot be made. An image that is to stay is never sent in its place.
  func image(ofPixels buffer: CVPixelBuffer) throws -> QueryImage {
    let image: QueryImage? =
      if let signing {
        signing(buffer).map { .signature($0) }
      } else {
        encoder.file(of: buffer, longSide: client.configuration.longSide).map { .file($0) }
      }
    guard let image else { throw UnreadableImage() }
    return image
  }

  /// Returns what is sent of an image file.
  ///
  /// - Throws: As ``image(ofPixels:)``.
  func image(ofFile data: Data) throws -> QueryImage {
    let side = client.configuration.longSide
    guard signing != nil else {
      // The service may read a format that the system cannot; if not, its error says what is wrong.
      return .file(encoder.file(of: data, longSide: side) ?? data)
    }
    guard let buffer = encoder.pixels(of: data, longSide: side) else { throw UnreadableImage() }
    return try image(ofPixels: buffer)
  }

  /// Returns the next page of matches, without the image.
  func moreMatches(continuing token: String) async throws -> MatchedScene {
    MatchedScene(try await client.moreResults(continuing: token))
  }

  /// Returns the entities of some ids, from the copy on the device if there is no connection.
  func entities(_ type: EntityType, _ ids: [String]) async throws -> [Entity] {
    let ids = ids.map { EntityID(type, $0) }
    do {
      return try await client.entities(for: ids).entities
    } catch let error as ClientError where error.isTemporary {
      return try copied(or: error).entities(for: ids)
    }
  }

  /// Returns the entities that the shop suggests, from the copy if there is no connection.
  func suggestedEntities(_ type: EntityType) async throws -> [Entity] {
    do {
      return try await client.suggestedEntities(type: type)
    } catch let error as ClientError where error.isTemporary {
      return try copied(or: error).suggestedEntities(type: type, limit: 20)
    }
  }

  /// Returns the entities that have some words, from the copy if there is no connection.
  func entities(
    matching text: String, _ type: EntityType, limit: Int = 20
  ) async throws -> [Entity] {
    do {
      return try await client.entities(matching: text, type: type, limit: limit)
    } catch let error as ClientError where error.isTemporary {
      return try copied(or: error).entities(matching: text, type: type, limit: limit)
    }
  }

  /// Returns values of the app with the images of their cards, as far as these arrive in time.
  func illustrated<Value>(
    _ entities: [Entity], _ make: (Entity, Data?) -> Value
  ) async -> [Value] {
    // A single result fills the sheet.
    let images = await thumbnails.images(
      of: entities, size: entities.count == 1 ? .extraLarge : .large, background: background,
      within: Self.imageTime)
    return entities.map { make($0, images[$0.entityID]) }
  }

  /// Brings the copy of the shop up to date.
  func updateCopy() async throws {
    guard let copy else { return }
    var stored = EntityCopy(contentsOf: copy)
    _ = try await client.updateCopy(from: stored.copyState) { stored.apply($0) }
    try stored.write(to: copy)
  }

  private func copied(or error: ClientError) throws -> EntityCopy {
    guard let copy else { throw error }
    return EntityCopy(contentsOf: copy)
  }

  /// The place within about 100 meters: distances need no more, and a question stays equal while the person stands still.
  private var coarseLocation: GeoPoint? {
    location().map { place in
      GeoPoint(
        latitude: (place.latitude * 1000).rounded() / 1000,
        longitude: (place.longitude * 1000).rounded() / 1000)
    }
  }
}

/// An image that cannot be searched for.
nonisolated struct UnreadableImage: Error, CustomLocalizedStringResourceConvertible {
  static let sentence: LocalizedStringResource = "This image cannot be searched."
  var localizedStringResource: LocalizedStringResource { Self.sentence }
}

/// The matches of a scene.
nonisolated struct MatchedScene: Sendable {
  let entities: [Entity]
  /// The possible matches if none is sure: at most one of them is right. They are shown apart from `entities`.
  var possible: [Entity] = []
  /// The same thing in other colors, if nothing is sure or possible.
  var siblings: [Entity] = []
  /// The token of the next page, or `nil` if there is none.
  let continuation: String?
  /// True if the service has seen the image; otherwise only the labels were compared.
  let isFromService: Bool
  /// The whole answer of the service, with distances, opening hours, variants and outlines in the image.
  var answer: MatchAnswer?
}

nonisolated extension MatchedScene {
  /// The matches of an answer of the service.
  init(_ answer: MatchAnswer) {
    self.init(
      entities: answer.values.map(\.entity), possible: answer.possible.map(\.entity),
      siblings: answer.siblings.map(\.entity),
      continuation: answer.hasMore ? answer.continuation : nil, isFromService: true,
      answer: answer)
  }
}
