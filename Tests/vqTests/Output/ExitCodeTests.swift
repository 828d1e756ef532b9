import Testing

import VisualQuery
@testable import vq

@Suite struct ExitCodeTests {
  @Test func `the numbers are those that scripts know`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130])
  }

  struct Strange: Error {}

  @Test(arguments: [
    (UsageError(.noCommand, "", command: nil) as any Error, ExitCode.usage),
    (CommandFailure(.unusableIndex, ""), .unusableIndex),
    (CatalogueError(code: .unreachable, message: ""), .unusableIndex),
    (CatalogueError(code: .loginRefused, message: ""), .refusedLogin),
    (OutputError(code: .closedPipe, message: ""), .success),
    (OutputError(code: .refused, message: ""), .failure),
    (CancellationError(), .interrupted), (Strange(), .failure),
  ])
  func `every error has its exit code`(error: any Error, code: ExitCode) {
    #expect(VQ.exitCode(for: error) == code)
  }
}
