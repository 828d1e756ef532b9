public import Foundation
import Synchronization

/// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset>: not `Sendable`.
open class CSSearchableItemAttributeSet {
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/displayname>
  open var displayName: String?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/contentdescription>
  open var contentDescription: String?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/keywords>
  open var keywords: [String]?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/alternatenames>
  open var alternateNames: [String]?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/thumbnailurl>
  ///
  /// A file on the device, never an address of the web: the system does not load it.
  open var thumbnailURL: URL? {
    willSet { precondition(newValue?.isFileURL ?? true, "thumbnailURL is not a local file") }
  }
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/thumbnaildata>
  open var thumbnailData: Data?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/title>
  open var title: String?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/contenturl>
  open var contentURL: URL?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/fullyformattedaddress>
  open var fullyFormattedAddress: String?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/url>
  open var url: URL?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/latitude>
  open var latitude: NSNumber?
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableitemattributeset/longitude>
  open var longitude: NSNumber?

  /// <https://developer.apple.com/documentation/objectivec/nsobject-swift.class/init()>
  public init() {}

  /// Stand-in only: the attributes that have a value, as texts.
  public var standInValues: [String: String] {
    Mirror(reflecting: self).children.reduce(into: [:]) { values, attribute in
      let value = Mirror(reflecting: attribute.value).children.first?.value
      if let name = attribute.label, let value { values[name] = "\(value)" }
    }
  }

  /// Stand-in only: the names of all attributes.
  public static var standInNames: Set<String> {
    Set(Mirror(reflecting: CSSearchableItemAttributeSet()).children.compactMap(\.label))
  }
}

/// <https://developer.apple.com/documentation/corespotlight/cssearchableindexdescription>: not `Sendable`.
open class CSSearchableIndexDescription {
  /// <https://developer.apple.com/documentation/objectivec/nsobject-swift.class/init()>
  public init() {}
}

/// <https://developer.apple.com/documentation/corespotlight/cssearchableindex>: not `Sendable`.
open class CSSearchableIndex {
  /// Stand-in only: what the system stores of an index.
  public struct Stored: Sendable {
    /// The attributes of the indexed entities, by type and id.
    public var attributes: [String: [String: String]] = [:]
    /// The names of the indexed entities, by type and id.
    public var entries: [String: String] { attributes.mapValues { $0["displayName"] ?? "" } }
    /// The type and id of the entities that have an image.
    public var illustrated: Set<String> {
      Set(attributes.filter { $0.value["thumbnailData"] != nil }.keys)
    }
    /// The state of the last batch.
    public var clientState: Data?
    var isInBatch = false
  }

  private static let indexes = Mutex<[String: Stored]>([:])
  private let name: String

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/init(name:)>
  public init(name: String) { self.name = name }

  /// Stand-in only: what the system stores of the index.
  public var stored: Stored {
    get { Self.indexes.withLock { $0[name] ?? Stored() } }
    set { Self.indexes.withLock { $0[name] = newValue } }
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/beginbatch()>
  open func beginBatch() {
    precondition(!stored.isInBatch, "a batch begins before the one before has ended")
    stored.isInBatch = true
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/endbatch(withclientstate:completionhandler:)>
  open func endBatch(withClientState clientState: Data) async throws {
    precondition(stored.isInBatch && clientState.count <= 250)
    stored.isInBatch = false
    stored.clientState = clientState
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/fetchlastclientstate(completionhandler:)>
  open func fetchLastClientState() async throws -> Data { stored.clientState ?? Data() }
}
