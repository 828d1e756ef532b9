/// <https://developer.apple.com/documentation/coretransferable/transferable>
@preconcurrency public protocol Transferable: Sendable {
  /// <https://developer.apple.com/documentation/coretransferable/transferable/representation>
  associatedtype Representation: TransferRepresentation
  /// <https://developer.apple.com/documentation/coretransferable/transferable/transferrepresentation>
  static var transferRepresentation: Representation { get }
}

/// <https://developer.apple.com/documentation/coretransferable/transferrepresentation>
public protocol TransferRepresentation<Item>: Sendable {
  /// <https://developer.apple.com/documentation/coretransferable/transferrepresentation/item>
  associatedtype Item: Transferable
}

/// <https://developer.apple.com/documentation/coretransferable/proxyrepresentation>
public struct ProxyRepresentation<Item, ProxyRepresentation>: TransferRepresentation
where Item: Transferable, ProxyRepresentation: Transferable {
  /// Stand-in only: what a receiver would get.
  public let exporting: @Sendable (Item) async throws -> ProxyRepresentation

  /// <https://developer.apple.com/documentation/coretransferable/proxyrepresentation/init(exporting:)>
  public init(exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation) {
    self.exporting = exporting
  }
}

/// <https://developer.apple.com/documentation/swift/string>: `Transferable` on Apple's platforms.
extension String: Transferable {
  /// The text itself.
  public static var transferRepresentation: some TransferRepresentation {
    CoreTransferable.ProxyRepresentation<String, String> { $0 }
  }
}
