// swift-tools-version: 6.2
import PackageDescription

/// The client of `vq serve` for apps. It has no dependency, and builds for Apple's platforms and Linux.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "VisualQueryClient",
  platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [.library(name: "VisualQueryClient", targets: ["VisualQueryClient"])],
  targets: [
    .target(
      name: "VisualQueryClient", resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: strict),
    .testTarget(
      name: "VisualQueryClientTests", dependencies: ["VisualQueryClient"], swiftSettings: strict),
  ]
)
