internal import CPostgres
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to PostgreSQL. Only this type and ``PostgresLocation`` call libpq.
///
/// Every call blocks the calling thread, which must be one of a ``WorkerPool``, until the server has
/// answered, for as long as something arrives at least every ``silenceLimit``. If it is stopped
/// before that, the server is asked to end the statement, and the connection cannot be used again.
/// Statements are not named and settings are those of a transaction, so that a pooler that gives
/// each transaction another server connection can be in between.
///
/// Not `Sendable`: one thread at a time uses it.
@safe package final class PostgresConnection {
  /// The purpose of a connection, by which a server is chosen if the address names several.
  package enum Purpose: String {
    case reading = "prefer-standby"
    case writing = "read-write"
  }

  let location: PostgresLocation
  private let handle: OpaquePointer
  /// Returns whether to stop; called repeatedly while a call waits.
  var shouldStop: () -> Bool
  /// True if the server itself ends statements at the time at which `shouldStop` returns true, so
  /// that it need not be asked to.
  var isTimedByServer = false
  /// True if the connection was stopped or lost.
  private(set) var isBroken = false

  /// The longest time without a byte from the server.
  static let silenceLimit = Duration.seconds(120)
  private static let connectLimit = Duration.seconds(10)
  /// The milliseconds between two looks at `shouldStop`.
  private let pause: Int32
  private static let copyBatch = 1 << 18

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - pause: The milliseconds between two looks at `shouldStop`.
  ///   - shouldStop: Returns whether to stop; called repeatedly while a call waits.
  /// - Throws: ``CatalogueError``, with the code `unreachable` if there is no connection, and `loginRefused` if the server
  ///   does not accept the user.
  package init(
    _ location: PostgresLocation, for purpose: Purpose, pause: Int32 = 50,
    stoppingWhen shouldStop: @escaping () -> Bool = { Task.isCancelled }
  ) throws(CatalogueError) {
    var options = [
      ("dbname", location.connectionText), ("fallback_application_name", "vq"),
      ("client_encoding", "UTF8"),
      ("keepalives_idle", "30"), ("tcp_user_timeout", "30000"),
    ]
    if let user = location.user { options.append(("user", user)) }
    if location.requiresVerification { options.append(("sslmode", "verify-full")) }
    if let file = location.authorityFile { options.append(("sslrootcert", file)) }
    if location.refusesPlainPassword { options.append(("require_auth", "!password")) }
    if location.choosesServer { options.append(("target_session_attrs", purpose.rawValue)) }
    guard let handle = unsafe Self.begin(options) else {
      throw CatalogueError(code: .unreachable, message: "there is not enough memory to connect")
    }
    unsafe self.handle = handle
    self.location = location
    self.shouldStop = shouldStop
    self.pause = pause
    try finishConnecting()
    let version = unsafe cp_server_version(handle)
    guard version >= 140_000 else {
      throw CatalogueError(
        code: .otherSchemaVersion,
        message: "the server is PostgreSQL \(version / 10_000); version 14 or later is needed")
    }
  }

  deinit { unsafe cp_close(handle) }

  private static func begin(_ options: [(String, String)]) -> OpaquePointer? {
    // Sound: the texts are copied, and freed after libpq has read them.
    var keywords = unsafe options.map { unsafe UnsafePointer(strdup($0.0)) } + [nil]
    var values = unsafe options.map { unsafe UnsafePointer(strdup($0.1)) } + [nil]
    defer {
      unsafe (keywords + values).forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0)) }
    }
    return unsafe cp_connect(&keywords, &values)
  }

  private func finishConnecting() throws(CatalogueError) {
    let end = ContinuousClock.now + Self.connectLimit
    var state = Int32(CP_POLL_WRITING)
    while state != CP_POLL_OK {
      guard state != CP_POLL_FAILED, unsafe cp_socket(handle) >= 0 else { throw notConnected }
      guard try wait(for: state == CP_POLL_READING ? POLLIN : POLLOUT, until: end) else {
        isBroken = true
        throw CatalogueError(
          code: .unreachable, message: "PostgreSQL cannot be reached: it did not answer in 10 s")
      }
      state = unsafe cp_connect_poll(handle)
    }
  }

  /// The reason why there is no connection.
  private var notConnected: CatalogueError {
    let message = unsafe cp_message(handle).map { unsafe String(cString: $0) } ?? ""
    return Self.error(
      connecting: message, lacksPassword: unsafe cp_lacks_password(handle))
  }

  /// Returns the error of a connection that was not made.
  ///
  /// - Parameter message: A message of libpq, whose lines have the SQLSTATE before the text of the server.
  static func error(connecting message: String, lacksPassword: Bool) -> CatalogueError {
    var states: [String] = []
    let lines = message.split(separator: "\n").compactMap { line -> String? in
      let text = line.drop { $0 == "\t" || $0 == " " }
      // Drops the line that names a source file of the server.
      if text.firstRange(of: ".c:").map({ text[$0.upperBound...].allSatisfy(\.isNumber) }) == true {
        return nil
      }
      var parts = text.split(separator: ":", omittingEmptySubsequences: false)
      if let index = parts.firstIndex(where: Self.isState) {
        states.append(String(parts.remove(at: index).drop { $0 == " " }))
      }
      return parts.joined(separator: ":")
    }
    let reason = lines.joined(separator: ": ")
    guard lacksPassword || states.contains(where: Self.isRefusal) else {
      return CatalogueError(
        code: .unreachable, message: "PostgreSQL cannot be reached: \(reason)")
    }
    return CatalogueError(
      code: .loginRefused,
      message:
        "PostgreSQL refused the login: \(reason); check the user, its password (PGPASSFILE) and the database"
    )
  }

  /// Returns whether a part of a message is an SQLSTATE: five digits or capital letters.
  private static func isState(_ part: Substring) -> Bool {
    let text = part.drop { $0 == " " }
    return text.utf8.count == 5 && text.count < part.count
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
      && text.utf8.contains { (0x30...0x39).contains($0) }
  }

  /// Returns whether an SQLSTATE means that the user, its password or the database is not accepted: invalid
  /// authorization, an unknown database, or one that the user may not connect to.
  private static func isRefusal(_ state: String) -> Bool {
    state.hasPrefix("28") || state == "3D000" || state == "42501"
  }

  private var unreachable: CatalogueError {
    let message = unsafe cp_message(handle).map { unsafe String(cString: $0) } ?? ""
    let line = message.split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }
      .joined(separator: ": ")
    return CatalogueError(code: .unreachable, message: "PostgreSQL cannot be reached: \(line)")
  }

  // MARK: Waiting

  /// Waits until the socket can be read or written.
  ///
  /// - Returns: `false` if that was not possible before `end`.
  /// - Throws: ``CatalogueError`` with the code `timedOut` if it was stopped.
  private func wait(
    for events: Int32, until end: ContinuousClock.Instant
  ) throws(CatalogueError) -> Bool {
    while !shouldStop() {
      guard ContinuousClock.now < end else { return false }
      var entry = pollfd(fd: unsafe cp_socket(handle), events: Int16(events), revents: 0)
      if unsafe poll(&entry, 1, pause) > 0 { return true }
    }
    throw stopped()
  }

  private func stopped() -> CatalogueError {
    isBroken = true
    return CatalogueError(
      code: .timedOut, message: "the work in PostgreSQL was stopped before its end; try again")
  }

  /// Waits for the server in the middle of a statement, and ends the statement if that fails.
  private func waitForServer(_ events: Int32 = POLLIN) throws(CatalogueError) {
    do throws(CatalogueError) {
      if try wait(for: events, until: .now + Self.silenceLimit) { return }
    } catch {
      // Does not cancel a statement that the server itself ends in time: if the host cannot be
      // reached, the cancellation would block as well.
      if !isTimedByServer || Task.isCancelled { unsafe cp_cancel(handle) }
      throw error
    }
    unsafe cp_cancel(handle)
    isBroken = true
    throw CatalogueError(
      code: .timedOut,
      message: "PostgreSQL sent nothing for \(Self.silenceLimit.components.seconds) s; try again")
  }

  private func flush() throws(CatalogueError) {
    while true {
      let code = unsafe cp_flush(handle)
      if code == 0 { return }
      guard code > 0 else { throw lost() }
      try waitForServer(POLLIN | POLLOUT)
      guard unsafe cp_consume(handle) else { throw lost() }
    }
  }

  private func lost() -> CatalogueError {
    isBroken = true
    return unreachable
  }

  // MARK: Statements

  /// Runs a statement.
  ///
  /// - Returns: Its rows.
  /// - Throws: ``CatalogueError``.
  @discardableResult
  func run(_ sql: String, _ values: [PostgresValue] = []) throws(CatalogueError) -> [PostgresRow] {
    try send(sql, values)
    return try finish()
  }

  private func checkIsOpen() throws(CatalogueError) {
    guard !isBroken else {
      throw CatalogueError(code: .unreachable, message: "the connection to PostgreSQL was lost")
    }
  }

  private func send(_ sql: String, _ values: [PostgresValue]) throws(CatalogueError) {
    try checkIsOpen()
    let types = values.map(\.type)
    let encoded = values.map { $0.encoded }
    let lengths = encoded.map { Int32($0?.count ?? 0) }
    // Sound: libpq copies the values, which are `NULL` or buffers of the given lengths, before it
    // returns. An empty buffer gets a byte, since a null pointer would mean `NULL`.
    let buffers = unsafe encoded.map { bytes -> UnsafeMutablePointer<CChar>? in
      guard let bytes else { return nil }
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
      return unsafe buffer
    }
    defer { unsafe buffers.forEach { unsafe $0?.deallocate() } }
    var pointers = unsafe buffers.map { unsafe UnsafePointer($0) }
    guard unsafe cp_send(handle, sql, Int32(values.count), types, &pointers, lengths) else {
      throw lost()
    }
    try flush()
  }

  /// Reads the results of a statement up to the last one, and returns their rows.
  @discardableResult
  private func finish() throws(CatalogueError) -> [PostgresRow] {
    var rows: [PostgresRow] = []
    var failure: CatalogueError?
    while let result = unsafe try nextResult() {
      defer { unsafe cp_result_free(result) }
      switch unsafe cp_result_status(result) {
      case Int32(CP_COMMAND_OK), Int32(CP_EMPTY_QUERY): break
      case Int32(CP_TUPLES_OK): unsafe rows += Self.rows(of: result)
      default: failure = unsafe failure ?? error(of: result)
      }
    }
    if let failure {
      if !(unsafe cp_is_open(handle)) { isBroken = true }
      throw failure
    }
    return rows
  }

  private func nextResult() throws(CatalogueError) -> OpaquePointer? {
    while unsafe cp_is_busy(handle) {
      try waitForServer()
      guard unsafe cp_consume(handle) else { throw lost() }
    }
    return unsafe cp_next_result(handle)
  }

  private static func rows(of result: OpaquePointer) -> [PostgresRow] {
    let columns = unsafe cp_column_count(result)
    return unsafe (0..<cp_row_count(result)).map { row in
      PostgresRow(
        columns: (0..<columns).map { column in
          if unsafe cp_is_null(result, row, column) { return nil }
          // Sound: libpq provides the reported number of bytes until the result is freed.
          let bytes = unsafe UnsafeRawBufferPointer(
            start: cp_value(result, row, column), count: Int(cp_length(result, row, column)))
          return unsafe Array(bytes)
        })
    }
  }

  private func error(of result: OpaquePointer) -> CatalogueError {
    func field(_ name: Character) -> String? {
      unsafe cp_result_field(result, Int32(name.asciiValue ?? 0)).map { unsafe String(cString: $0) }
    }
    guard let state = field("C") else { return unreachable }
    return Self.error(state: state, field("M") ?? "")
  }

  /// Returns the error of an SQLSTATE.
  static func error(state: String, _ message: String) -> CatalogueError {
    let (code, advice): (CatalogueError.Code, String) =
      switch state {
      case "3F000", "42P01":
        (.missing, "; make the tables with: vq postgres init --index postgres://…")
      case "42501": (.notPermitted, "; grant the role vq_reader, or vq_writer for changes")
      case "25006": (.notPermitted, "; it is a standby, changes go to the primary")
      case "55P03": (.locked, "; another writer is at work, try again later")
      case "57014": (.timedOut, "; try again")
      case "53100": (.diskFull, "")
      case _ where state.hasPrefix("08") || state.hasPrefix("57P"): (.unreachable, "")
      default: (.io, " (SQLSTATE \(state))")
      }
    return CatalogueError(code: code, message: "PostgreSQL: \(message)\(advice)")
  }

  // MARK: Copying

  /// Calls `body` with each row of a `COPY … TO STDOUT (FORMAT binary)`.
  ///
  /// - Parameter settings: Statements without rows that go before it, in the same transaction and the
  ///   same message, so that all of them take one round trip.
  func copyOut(
    _ sql: String, after settings: [String] = [],
    _ body: (PostgresRow) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    if settings.isEmpty {
      try send(sql, [])
    } else {
      try checkIsOpen()
      guard unsafe cp_send_script(handle, (settings + [sql]).joined(separator: ";")) else {
        throw lost()
      }
      try flush()
    }
    for _ in settings { try finishSetting() }
    guard try hasBegun(Int32(CP_COPY_OUT)) else { return }
    var (isFirst, isOver) = (true, false)
    while let message = try nextMessage() {
      // `nextMessage()` checks for cancellation only while it waits, so it is checked here for
      // messages that come without a wait.
      if shouldStop() {
        unsafe cp_cancel(handle)
        throw stopped()
      }
      let (row, isValid) = PostgresCopyFormat.row(message, isFirst: isFirst)
      guard isValid, !isOver else {
        unsafe cp_cancel(handle)
        isBroken = true
        throw CatalogueError(code: .io, message: "PostgreSQL sent a row in an unknown format")
      }
      (isFirst, isOver) = (false, row == nil)
      guard let row else { continue }
      do throws(CatalogueError) {
        try body(row)
      } catch {
        unsafe cp_cancel(handle)
        isBroken = true
        throw error
      }
    }
    try finish()
  }

  /// Reads the result of a statement that goes before a copy.
  private func finishSetting() throws(CatalogueError) {
    guard let result = unsafe try nextResult() else { throw lost() }
    defer { unsafe cp_result_free(result) }
    if unsafe cp_result_status(result) == Int32(CP_COMMAND_OK) { return }
    let failure = unsafe error(of: result)
    _ = try? finish()
    throw failure
  }

  /// Returns whether a copy has begun; its error follows otherwise.
  private func hasBegun(_ status: Int32) throws(CatalogueError) -> Bool {
    guard let result = unsafe try nextResult() else { throw lost() }
    defer { unsafe cp_result_free(result) }
    if unsafe cp_result_status(result) == status { return true }
    let failure = unsafe error(of: result)
    _ = try? finish()
    throw failure
  }

  private func nextMessage() throws(CatalogueError) -> [UInt8]? {
    while true {
      var bytes: UnsafeMutablePointer<CChar>?
      let count = unsafe cp_get(handle, &bytes)
      if count > 0, let start = unsafe bytes {
        // Sound: libpq has allocated that many bytes, which are freed here.
        defer { unsafe cp_free(start) }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
      }
      if count == -1 { return nil }
      guard count == 0 else { throw lost() }
      try waitForServer()
      guard unsafe cp_consume(handle) else { throw lost() }
    }
  }

  /// Sends rows with a `COPY … FROM STDIN (FORMAT binary)`.
  ///
  /// - Parameter body: Calls its argument with each row.
  func copyIn(
    _ sql: String,
    _ body: (_ put: ([PostgresValue]) throws(CatalogueError) -> Void) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try send(sql, [])
    guard try hasBegun(Int32(CP_COPY_IN)) else { return }
    var buffer = PostgresCopyFormat.header
    do throws(CatalogueError) {
      try body { values throws(CatalogueError) in
        PostgresCopyFormat.append(values, to: &buffer)
        if buffer.count >= Self.copyBatch {
          try put(buffer)
          buffer.removeAll(keepingCapacity: true)
        }
      }
      try put(buffer + PostgresCopyFormat.trailer)
    } catch {
      isBroken = true
      throw error
    }
    while unsafe cp_put_end(handle, nil) == 0 { try waitForServer(POLLOUT) }
    try flush()
    try finish()
  }

  private func put(_ bytes: [UInt8]) throws(CatalogueError) {
    while true {
      let code = unsafe bytes.withUnsafeBytes {
        unsafe cp_put(
          handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
      }
      if code > 0 { return try flush() }
      guard code == 0 else { throw lost() }
      try waitForServer(POLLIN | POLLOUT)
      guard unsafe cp_consume(handle) else { throw lost() }
    }
  }

  // MARK: Transactions and notifications

  /// Runs `body` in a transaction, which is rolled back if it throws.
  func transaction<Result>(
    _ mode: String = "", _ body: () throws(CatalogueError) -> Result
  ) throws(CatalogueError) -> Result {
    try run("begin \(mode)")
    do throws(CatalogueError) {
      let result = try body()
      try run("commit")
      return result
    } catch {
      if !isBroken { _ = try? run("rollback") }
      throw error
    }
  }

  /// Waits for a notification.
  ///
  /// - Returns: True if one arrived within `limit`.
  func hasNotification(within limit: Duration) throws(CatalogueError) -> Bool {
    let end = ContinuousClock.now + limit
    while true {
      var isNotified = false
      while unsafe cp_take_notification(handle) { isNotified = true }
      if isNotified { return true }
      guard try wait(for: POLLIN, until: end) else { return false }
      guard unsafe cp_consume(handle) else { throw lost() }
    }
  }
}
