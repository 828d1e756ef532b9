internal import Synchronization

/// <https://developer.apple.com/documentation/appintents/appdependencymanager>
public final class AppDependencyManager: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appdependencymanager/shared>
  public static let shared = AppDependencyManager()
  private let makers = Mutex<[String: @Sendable () -> any Sendable]>([:])

  /// <https://developer.apple.com/documentation/appintents/appdependencymanager/add(key:dependency:)>
  public func add<Dependency: Sendable>(
    key: String? = nil, dependency: @autoclosure @escaping @Sendable () -> Dependency
  ) {
    makers.withLock { $0[key ?? "\(Dependency.self)"] = dependency }
  }

  func resolve<Dependency: Sendable>(_ key: String?) -> Dependency {
    let maker = makers.withLock { $0[key ?? "\(Dependency.self)"] }
    guard let value = maker?() as? Dependency else {
      preconditionFailure("no dependency of the type \(Dependency.self) was added")
    }
    return value
  }
}

/// <https://developer.apple.com/documentation/appintents/appdependency>
@propertyWrapper public final class AppDependency<Value>: Sendable where Value: Sendable {
  private let key: String?

  /// <https://developer.apple.com/documentation/appintents/appdependency/init(key:manager:)>
  public init(key: String? = nil) { self.key = key }

  /// <https://developer.apple.com/documentation/appintents/appdependency/wrappedvalue>
  public var wrappedValue: Value { AppDependencyManager.shared.resolve(key) }
}
