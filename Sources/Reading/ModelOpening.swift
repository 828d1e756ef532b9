internal import CReading
internal import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The opening of a model on a thread of its own. The runtime cannot be told to stop, and some files keep it busy for minutes.
///
/// `@unchecked Sendable`: all but the outcome is constant, and a lock protects the outcome. Sound: the pointer is handed out once.
@safe final class ModelOpening: @unchecked Sendable {
  /// The longest time to wait for a model. The largest that are accepted need some seconds.
  static let timeLimit = Duration.seconds(60)
  private static let pause: UInt32 = 1000

  private let bytes: [UInt8]
  private let outcome = Mutex<(status: Int32, message: String, model: UInt)?>(nil)

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Opens a model.
  ///
  /// - Throws: ``ReadingError`` with the code `corrupt` if it is not a model, and `failed` if it takes too long; the thread then ends by itself.
  static func open(_ bytes: [UInt8], name: String) throws(ReadingError) -> OpaquePointer {
    let opening = ModelOpening(bytes)
    var thread = pthread_t()
    let box = unsafe Unmanaged.passRetained(opening)
    // Sound: the thread takes over the reference that was retained for it.
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe Unmanaged<ModelOpening>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw ReadingError(
        code: .failed, message: "\(name) cannot be opened: no thread can be started")
    }
    pthread_detach(thread)
    let end = ContinuousClock.now + timeLimit
    while true {
      if let (status, message, model) = opening.outcome.withLock({ $0 }) {
        guard status == CR_OK, let model = unsafe OpaquePointer(bitPattern: model) else {
          throw ReadingError(
            code: .corrupt, message: "\(name) is not a model that can be run: \(message)")
        }
        return unsafe model
      }
      guard ContinuousClock.now < end else {
        throw ReadingError(
          code: .failed, message: "\(name) was not opened within \(timeLimit); use a simpler model")
      }
      usleep(pause)
    }
  }

  private func run() {
    var opened: OpaquePointer?
    let (status, message) = unsafe Model.withMessage { text, capacity in
      // Sound: the bytes are only read during the call.
      unsafe cr_model_open(bytes, bytes.count, &opened, text, capacity)
    }
    let model = UInt(bitPattern: opened)
    outcome.withLock { $0 = (status, message, model) }
  }
}
