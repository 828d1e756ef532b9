import TestSupport
import Testing

@testable import HTTPServer

/// A server with drawn clients, whose time is counted: nobody starves, and no thread is idle without need.
@Suite struct FairnessTests {
  /// A client that asks on several connections, one request after another on each.
  private struct Client {
    let name: String
    let connectionCount: Int
    /// The time that its requests take.
    let durations: ClosedRange<Int>
    let budget: Duration
    /// The pause between an answer and the next request, in milliseconds.
    let pause: Int
    var asked = 0
    var answered = 0
    var received = Duration.zero
  }

  /// A connection's request, or its pause.
  private struct Turn {
    let client: Int
    var nextAsk: ContinuousClock.Instant
    var end: ContinuousClock.Instant?
    var began: ContinuousClock.Instant?
    var isPending = false
  }

  private struct Simulation {
    var admission: Admission
    var clients: [Client]
    /// The request of a turn has its index as id.
    var turns: [Turn] = []
    var generator: SeededGenerator
    var now = ContinuousClock.now

    init(width: Int, clients: [Client], seed: UInt64) {
      admission = Admission(width: width, queueLimit: 64)
      self.clients = clients
      generator = SeededGenerator(seed: seed)
      for (index, client) in clients.enumerated() {
        for _ in 0..<client.connectionCount {
          let delay = Int.random(in: 0...500, using: &generator)
          turns.append(Turn(client: index, nextAsk: now + .milliseconds(delay)))
        }
      }
    }

    /// Goes on by a few milliseconds.
    mutating func tick() {
      now += .milliseconds(5)
      for index in turns.indices {
        if let end = turns[index].end, now >= end { finish(index) }
        if !turns[index].isPending, now >= turns[index].nextAsk { ask(index) }
      }
      for id in admission.removeLate(at: now) { refuse(Int(id)) }
      while let id = admission.startNext(at: now) {
        let range = clients[turns[Int(id)].client].durations
        turns[Int(id)].began = now
        turns[Int(id)].end = now + .milliseconds(Int.random(in: range, using: &generator))
      }
      for id in admission.takeCuts(at: now) {
        turns[Int(id)].end = min(turns[Int(id)].end!, now + .milliseconds(10))
      }
    }

    private mutating func ask(_ index: Int) {
      let client = clients[turns[index].client]
      clients[turns[index].client].asked += 1
      let kind = RequestKind(route: "match", bodyBytes: 70_000)
      let verdict = admission.admit(
        UInt64(index), claim(kind, of: client.name, budget: client.budget, canEndEarly: true),
        at: now)
      turns[index].isPending = true
      if case .admittedInsteadOf(let other) = verdict { refuse(Int(other)) }
      if verdict == .refused { refuse(index) }
    }

    private mutating func refuse(_ index: Int) {
      pause(index, for: max(50, clients[turns[index].client].pause))
    }

    private mutating func finish(_ index: Int) {
      admission.finish(UInt64(index), at: now)
      let client = turns[index].client
      clients[client].received += now - turns[index].began!
      clients[client].answered += 1
      pause(index, for: clients[client].pause)
    }

    private mutating func pause(_ index: Int, for milliseconds: Int) {
      turns[index] = Turn(
        client: turns[index].client, nextAsk: now + .milliseconds(milliseconds))
    }
  }

  private static func attacker(_ number: Int, using generator: inout SeededGenerator) -> Client {
    let longest = [60, 300, 600, 2000].randomElement(using: &generator)!
    return Client(
      name: "attacker \(number)", connectionCount: Int.random(in: 1...12, using: &generator),
      durations: longest / 2...longest,
      budget: .milliseconds([300, 1000, 2000].randomElement(using: &generator)!), pause: 0)
  }

  private static func ordinary(_ number: Int) -> Client {
    Client(
      name: "ordinary \(number)", connectionCount: 1, durations: 30...60,
      budget: .milliseconds(300), pause: 200)
  }

  /// Would break if a client could take the threads from others by asking for more time, or more often.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `ordinary clients are answered whatever others ask`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 1...8, using: &generator)
    let attackers = (0..<Int.random(in: 1...5, using: &generator)).map {
      Self.attacker($0, using: &generator)
    }
    var simulation = Simulation(
      width: width, clients: attackers + (0..<2).map(Self.ordinary), seed: seed)
    for _ in 0..<2000 {
      simulation.tick()
      // A thread may be idle only while it is left to others.
      if simulation.admission.waiting > 0 {
        #expect(simulation.admission.running >= max(1, width - 1))
      }
      #expect(simulation.admission.running <= 2 * width && simulation.admission.waiting <= 64)
    }
    for client in simulation.clients.suffix(2) {
      // With one thread, which a long request may hold at any time, no more can be expected.
      let share = width == 1 ? 0.7 : 0.9
      #expect(
        Double(client.answered) >= share * Double(client.asked),
        "\(client.answered) of \(client.asked) with \(width) threads")
    }
    for client in simulation.clients { #expect(client.answered > 0, "\(client)") }
  }

  /// Would break if one that always asks could have more than others that always ask.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `clients that always ask have equal shares`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 2...6, using: &generator)
    let clients = (0..<Int.random(in: 2...6, using: &generator)).map { number in
      let longest = Int.random(in: 20...400, using: &generator)
      return Client(
        name: "\(number)", connectionCount: width + Int.random(in: 0...6, using: &generator),
        durations: longest / 2...longest, budget: .seconds(30), pause: 0)
    }
    var simulation = Simulation(width: width, clients: clients, seed: seed)
    for _ in 0..<4000 { simulation.tick() }
    let received = simulation.clients.map { $0.received / .seconds(1) }
    #expect(received.min()! >= 0.8 * received.max()!, "\(received)")
    // All threads are busy, except for the one that a single client leaves to others.
    #expect(received.reduce(0, +) >= 0.9 * 20 * Double(width - (clients.count == 1 ? 1 : 0)))
  }

  /// Would break if an only client could not use all threads.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a client alone has all threads`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 1...8, using: &generator)
    var simulation = Simulation(
      width: width, clients: [Self.attacker(0, using: &generator)], seed: seed)
    for _ in 0..<1000 {
      simulation.tick()
      #expect(simulation.admission.waiting == 0 || simulation.admission.running >= width)
    }
    #expect(simulation.admission.cutCount == 0)
  }

  /// Would break if new clients without end, each with the credit of one that has not asked, came before all others.
  @Test func `a stream of new clients keeps nobody waiting for ever`() throws {
    let desk = Desk(width: 1, queueLimit: 64)
    let photo = RequestKind(route: "match", bodyBytes: 70_000)
    for _ in 0..<3 { try desk.run(claim(photo, of: "old"), for: .milliseconds(200)) }
    let first = try #require(desk.admit(claim(photo, of: "0")))
    let waiting = try #require(desk.admit(claim(photo, of: "old", budget: .seconds(600))))
    var last = first
    for number in 1..<1000 where !desk.running.contains(waiting) {
      let next = try #require(desk.admit(claim(photo, of: "\(number)")))
      desk.now += .milliseconds(40)
      desk.finish(last)
      last = next
    }
    #expect(desk.running.contains(waiting))
  }

  /// Would break if each client that ever asked were remembered.
  @Test func `the table of clients is bounded, and keeps those that ask`() throws {
    let desk = Desk(width: 2, queueLimit: 10)
    let busy = try #require(desk.admit(claim("match", of: "busy")))
    for number in 0..<5000 {
      desk.now += .milliseconds(1)
      let id = try #require(desk.admit(claim("match", of: "\(number)")))
      desk.finish(id)
    }
    #expect(desk.admission.shares.clientCount <= ClientShares.clientLimit)
    #expect(desk.admission.shares["busy"] != nil && desk.running == [busy])
    for number in 0..<200 {
      let kind = RequestKind(route: "route \(number)", bodyBytes: 0)
      if let id = desk.admit(claim(kind, of: "many")) { desk.admission.abandon(id) }
    }
    #expect(desk.admission.shares["busy"]?.requestCount == 1)
  }
}
