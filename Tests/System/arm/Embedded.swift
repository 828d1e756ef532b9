import Glibc

// The parts of Swift's libraries that PixelMatch uses and Embedded Swift lacks. All numbers come from the C library.

func log(_ x: Float) -> Float { logf(x) }
func exp(_ x: Float) -> Float { expf(x) }
func pow(_ x: Float, _ y: Float) -> Float { powf(x, y) }
func cbrt(_ x: Float) -> Float { cbrtf(x) }
func log(_ x: Double) -> Double { Glibc.log(x) }
func exp(_ x: Double) -> Double { Glibc.exp(x) }
func pow(_ x: Double, _ y: Double) -> Double { Glibc.pow(x, y) }
func cbrt(_ x: Double) -> Double { Glibc.cbrt(x) }

/// Nothing is cancelled here.
enum Task {
  static var isCancelled: Bool { false }
}

/// There is one thread here.
final class Mutex<Value>: @unchecked Sendable {
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
}

// Segments are kept in memory here, so no file is opened.

enum FileName {
  static func systemName(_ text: String) -> [CChar] { text.utf8.map(CChar.init) + [0] }
}

func systemMessage(_ code: Int32) -> String { "error \(code)" }

func open(_ name: [CChar], _ flags: Int32) -> Int32 { -1 }

var errno: Int32 { ENOENT }

/// A lack of the system's resources, which nothing here tells apart.
package enum ResourceLack {
  package static func advice(_ code: Int32) -> String? { nil }
}
