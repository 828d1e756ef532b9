// expect: cannot form main actor-isolated conformance of 'Card' to SendableMetatype-inheriting protocol 'Transferable'
import CoreTransferable

@MainActor struct Card {
  var text = ""
}

extension Card: @MainActor Transferable {
  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation { (card: Card) in card.text }
  }
}
