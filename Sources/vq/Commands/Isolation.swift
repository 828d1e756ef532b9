/// A switch for the processes of libraries.
enum Isolation: String, CaseIterable, Sendable {
  case on, off
}
