internal import CReading
internal import Synchronization
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Numbers in an order of rows of rows: the last side changes fastest.
struct Tensor: Sendable {
  var values: [Float]
  var shape: [Int]
}

/// A model with an input of floating-point numbers, or inputs of whole ones, and an output of floating-point numbers.
///
/// `@unchecked Sendable`: the runtime permits any number of runs of a model at the same time, and nothing else is
/// done with it until nobody refers to it. Sound: the pointer is that of a model that was opened, and is closed once.
@safe final class Model: @unchecked Sendable {
  private let model: OpaquePointer
  /// The name of the file, for messages.
  let name: String

  private static let messageLimit = 1024
  /// The longest time of a run when a model is opened.
  private static let trialTime = Duration.seconds(10)
  /// The longest time of any run.
  fileprivate static let longestTime = Duration.seconds(60)
  /// The time after which a stopped run is abandoned: it is within one operation, which cannot be stopped.
  fileprivate static let graceTime = Duration.milliseconds(20)
  /// The most abandoned runs beside which another one is started.
  private static let abandonedLimit = 4

  /// Loads the library that runs models.
  ///
  /// - Parameter path: The file of the library, or `nil` for that of the system.
  static func loadRuntime(_ path: String?) throws(ReadingError) {
    let (status, message) = unsafe withMessage { text, capacity in
      guard let path else { return unsafe cr_runtime_load(nil, text, capacity) }
      return unsafe cr_runtime_load(path, text, capacity)
    }
    if status == CR_OK { return }
    throw ReadingError(
      code: .missing, message: "ONNX Runtime cannot be used: \(message)")
  }

  /// The most characters of an output's name.
  private static let nameLimit = 256
  /// The most outputs whose names are looked at.
  private static let outputLimit = 64

  /// Opens a model.
  ///
  /// - Parameter outputs: The names of the output that is wanted, the best first; without any, it is the first one.
  /// - Throws: ``ReadingError`` with the code `corrupt`, or `otherShape` if it has several outputs and none of the names.
  init(_ bytes: [UInt8], name: String, outputs: [String] = []) throws(ReadingError) {
    unsafe model = try unsafe ModelOpening.open(bytes, name: name)
    self.name = name
    if outputs.isEmpty { return }
    let names = names(ofOutputs: true)
    if let index = outputs.lazy.compactMap(names.firstIndex).first {
      unsafe cr_model_choose_output(model, index)
    } else if names.count > 1 {
      throw ReadingError(
        code: .otherShape,
        message: """
          \(name) has the outputs \(names.map { "'\($0)'" }.joined(separator: ", ")); with several outputs, one is named \
          '\(outputs.joined(separator: "', '"))'
          """)
    }
  }

  /// The names of the inputs.
  var inputNames: [String] { names(ofOutputs: false) }

  private func names(ofOutputs isOutput: Bool) -> [String] {
    (0..<min(Self.outputLimit, unsafe cr_model_count(model, isOutput))).map { index in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.nameLimit) { buffer in
        let length = unsafe cr_model_name(
          model, isOutput, index, buffer.baseAddress!, Self.nameLimit)
        let bytes = unsafe buffer.prefix(max(0, min(Self.nameLimit, Int(length))))
          .map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  deinit { unsafe cr_model_close(model) }

  /// The index of the output that runs compute.
  var outputIndex: Int { unsafe cr_model_output_index(model) }

  /// Lets other processes run the model from now on, and frees it here. Called before anybody runs it: it has no names and shapes any more.
  func detach(_ index: Int) { unsafe cr_model_detach(model, UInt32(index)) }

  /// The shape of the first input or of the output, in which an unknown side is `nil`; `nil` if it is not of floating-point
  /// numbers.
  func shape(ofOutput isOutput: Bool) -> [Int?]? {
    var sides = [Int64](repeating: 0, count: Int(CR_RANK_LIMIT))
    let rank = unsafe cr_model_shape(model, isOutput, &sides)
    return rank < 0 ? nil : sides.prefix(Int(rank)).map { $0 > 0 ? Int($0) : nil }
  }

  /// The shape of an input, in which an unknown side is `nil`; `nil` if it is not of whole numbers of 32 or 64 bits.
  func shape(ofTokens index: Int) -> [Int?]? {
    var sides = [Int64](repeating: 0, count: Int(CR_RANK_LIMIT))
    let rank = unsafe cr_model_token_shape(model, index, &sides)
    return rank < 0 ? nil : sides.prefix(Int(rank)).map { $0 > 0 ? Int($0) : nil }
  }

  /// The number of inputs.
  var inputCount: Int { unsafe cr_model_count(model, false) }

  /// Returns a text of the model's metadata, or `nil` if there is none.
  ///
  /// - Parameter limit: The most bytes of a text. Longer ones are cut off.
  func metadata(_ key: String, limit: Int) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer -> String? in
      let length = unsafe cr_model_metadata(model, key, buffer.baseAddress!, limit)
      guard length >= 0 else { return nil }
      let bytes = unsafe buffer.prefix(min(limit, Int(length))).map { UInt8(bitPattern: $0) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Runs the model on a thread of its own.
  ///
  /// - Parameters:
  ///   - input: The values of the input.
  ///   - outputLimit: The most numbers that the output may have.
  ///   - shouldStop: Returns whether the run is to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  func run(
    _ input: Tensor, outputLimit: Int, shouldStop: () -> Bool
  ) throws(ReadingError) -> Tensor {
    try ModelRun(self, input).wait(outputLimit: outputLimit, shouldStop: shouldStop)
  }

  /// Runs the model on zeros, so that one that does not fit is found when it is opened.
  ///
  /// - Throws: ``ReadingError`` with the code `failed` or `otherShape`.
  func runOnZeros(shape: [Int], outputLimit: Int) throws(ReadingError) -> Tensor {
    let zeros = Tensor(
      values: [Float](repeating: 0, count: shape.reduce(1, *)), shape: shape)
    return try trial(outputLimit: outputLimit) { model throws(ReadingError) in
      try ModelRun(model, zeros)
    }
  }

  /// Runs the model for the first time.
  ///
  /// - Throws: ``ReadingError`` with the code `failed` or `otherShape`.
  func trial(
    outputLimit: Int, _ start: (Model) throws(ReadingError) -> ModelRun
  ) throws(ReadingError) -> Tensor {
    let end = ContinuousClock.now + Self.trialTime
    do throws(ReadingError) {
      return try start(self).wait(outputLimit: outputLimit) { ContinuousClock.now >= end }
    } catch {
      guard error.code == .stopped else { throw error }
      throw ReadingError(
        code: .failed, message: "\(name) takes longer than \(Self.trialTime) for a small input")
    }
  }

  /// Starts a run.
  fileprivate func start(
    _ values: UnsafeBufferPointer<Float>, _ shape: [Int]
  ) throws(ReadingError) -> OpaquePointer {
    try checkAbandoned()
    let sides = shape.map(Int64.init)
    var started: OpaquePointer?
    let (status, message) = unsafe Self.withMessage { text, capacity in
      unsafe cr_run_start(
        model, values.baseAddress, values.count, sides, sides.count, &started, text, capacity)
    }
    guard status == CR_OK, let run = unsafe started else { throw failure(status, message) }
    return unsafe run
  }

  /// Starts a run with whole numbers, as many for each input.
  fileprivate func start(tokens: [[Int64]]) throws(ReadingError) -> OpaquePointer {
    try checkAbandoned()
    let values = Array(tokens.joined())
    let count = tokens.first?.count ?? 0
    precondition(tokens.count == inputCount && values.count == count * tokens.count)
    var started: OpaquePointer?
    let (status, message) = unsafe Self.withMessage { text, capacity in
      // Sound: the numbers are copied during the call, and there are as many for each input.
      unsafe cr_run_start_tokens(model, values, count, &started, text, capacity)
    }
    guard status == CR_OK, let run = unsafe started else { throw failure(status, message) }
    return unsafe run
  }

  /// Rejects a run beside abandoned ones, so that a slow model does not take more and more threads.
  private func checkAbandoned() throws(ReadingError) {
    guard unsafe cr_model_abandoned(model) >= Self.abandonedLimit else { return }
    throw ReadingError(
      code: .stopped, message: "\(name) is busy with runs that did not end when they were stopped")
  }

  fileprivate func output(of run: OpaquePointer, limit: Int) -> Result<Tensor, ReadingError> {
    var count = 0
    var rank: Int32 = 0
    var sides = [Int64](repeating: 0, count: Int(CR_RANK_LIMIT))
    guard let values = unsafe cr_run_output(run, &count, &sides, &rank) else {
      return .failure(
        ReadingError(code: .otherShape, message: "\(name) gives no floating-point numbers"))
    }
    guard count <= limit else {
      return .failure(
        ReadingError(
          code: .otherShape,
          message: "\(name) gives \(count) numbers; at most \(limit) are expected"))
    }
    return .success(
      Tensor(
        // Sound: the output has that many values until the run is freed.
        values: unsafe [Float](UnsafeBufferPointer(start: values, count: count)),
        shape: sides.prefix(Int(rank)).map { Int($0) }))
  }

  fileprivate func failure(_ status: Int32, _ message: String) -> ReadingError {
    switch status {
    case CR_STOPPED: ReadingError(code: .stopped, message: "the run of \(name) was stopped")
    case CR_NO_MEMORY: ReadingError(code: .failed, message: "\(name): there is not enough memory")
    default: ReadingError(code: .failed, message: "\(name) cannot be run: \(message)")
    }
  }

  /// Calls `body` with room for a message and returns its outcome, and the first line of the message.
  static func withMessage(
    _ body: (UnsafeMutablePointer<CChar>, Int) -> Int32
  ) -> (status: Int32, message: String) {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: messageLimit) { buffer in
      unsafe buffer.initialize(repeating: 0)
      let status = unsafe body(buffer.baseAddress!, messageLimit)
      let bytes = unsafe buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      return (status, String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// A run of a model on a thread of its own, which ends with its last reference.
///
/// `@unchecked Sendable`: nothing changes but within the run, whose functions lock it. Sound: the values stay until the run
/// is freed.
@safe final class ModelRun: @unchecked Sendable {
  private let model: Model
  private let run: OpaquePointer
  private let values: UnsafeMutableBufferPointer<Float>
  private let isAbandoned = Atomic(false)

  /// Starts a run.
  ///
  /// - Throws: ``ReadingError`` with the code `failed`.
  init(_ model: Model, _ input: Tensor) throws(ReadingError) {
    precondition(input.shape.reduce(1, *) == input.values.count, "values of another shape")
    // Of `malloc`, since an abandoned run frees them by itself.
    guard let memory = unsafe calloc(max(1, input.values.count), MemoryLayout<Float>.stride) else {
      throw model.failure(CR_NO_MEMORY, "")
    }
    let values = unsafe UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: Float.self, capacity: max(1, input.values.count)),
      count: max(1, input.values.count))
    for index in input.values.indices { unsafe values[index] = input.values[index] }
    do throws(ReadingError) {
      unsafe run = try unsafe model.start(
        UnsafeBufferPointer(start: values.baseAddress, count: input.values.count), input.shape)
    } catch {
      unsafe free(memory)
      throw error
    }
    self.model = model
    unsafe self.values = values
  }

  /// Starts a run with whole numbers, as many for each input.
  ///
  /// - Throws: ``ReadingError`` with the code `failed`.
  init(_ model: Model, tokens: [[Int64]]) throws(ReadingError) {
    unsafe run = try unsafe model.start(tokens: tokens)
    self.model = model
    unsafe values = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    if isAbandoned.load(ordering: .relaxed) {
      // Sound: the model stays as long as the process, so that the run has it until it ends.
      _ = unsafe Unmanaged.passRetained(model)
      return unsafe cr_run_abandon(run, values.baseAddress)
    }
    unsafe cr_run_free(run)
    unsafe free(values.baseAddress)
  }

  /// Waits for the output. It is called once.
  ///
  /// - Parameters:
  ///   - outputLimit: The most numbers that the output may have.
  ///   - shouldStop: Returns whether the run is to end; called every few milliseconds.
  /// - Throws: ``ReadingError`` with the code `failed`, `otherShape` or `stopped`.
  func wait(outputLimit: Int, shouldStop: () -> Bool) throws(ReadingError) -> Tensor {
    let end = ContinuousClock.now + Model.longestTime
    var stopped: ContinuousClock.Instant?
    while true {
      let (status, message) = unsafe Model.withMessage { text, capacity in
        unsafe cr_run_wait(run, text, capacity)
      }
      if status == CR_OK { return try unsafe model.output(of: run, limit: outputLimit).get() }
      guard status == CR_MORE else { throw model.failure(status, message) }
      let now = ContinuousClock.now
      if let stopped, now >= stopped + Model.graceTime {
        isAbandoned.store(true, ordering: .relaxed)
        throw model.failure(CR_STOPPED, "")
      }
      if stopped == nil, now >= end || shouldStop() {
        unsafe cr_run_stop(run)
        stopped = now
      }
    }
  }
}
