import VisualQuery

@testable import vq

/// The routes that tests name.
extension Route {
  static let page = Route("/")

  static func pageFile(_ name: String) -> Route { Route("/page/\(name)") }

  static func entity(_ id: EntityID) -> Route { Route("/v1/entities/{type}/{id}", of: .entity(id)) }

  static func entityForm(_ id: EntityID) -> Route {
    Route("/v1/entities/{type}/{id}/form", of: .entity(id))
  }

  static func thumbnail(_ id: EntityID) -> Route {
    Route("/v1/entities/{type}/{id}/thumbnail", of: .entity(id))
  }

  static func neighbors(_ id: EntityID) -> Route {
    Route("/v1/entities/{type}/{id}/neighbors", of: .entity(id))
  }

  static func history(_ id: EntityID) -> Route {
    Route("/v1/entities/{type}/{id}/history", of: .entity(id))
  }

  static func feedbackStatement(_ number: Int) -> Route {
    Route("/v1/feedback/{number}", of: .statement(number))
  }

  static func feedbackAcceptance(_ number: Int) -> Route {
    Route("/v1/feedback/{number}/acceptance", of: .statement(number))
  }
}
