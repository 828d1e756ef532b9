import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Listening sockets.
@Suite struct SocketTests {
  /// Would break if a server that ends removed the socket of the one that has taken its place.
  @Test func `a local socket removes its own file only`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/s"
    let first = try Socket.listening(at: .path(path))
    try FileManager.default.removeItem(atPath: path)
    let second = try Socket.listening(at: .path(path))
    first.stopListening()
    #expect(FileManager.default.fileExists(atPath: path))
    second.stopListening()
    #expect(!FileManager.default.fileExists(atPath: path))
    let third = try Socket.listening(at: .path(path))
    third.stopListening()
    third.stopListening()
    #expect(throws: SocketError.self) {
      _ = try Socket.listening(at: .path(folder.path + "/none/s"))
    }
  }
}
