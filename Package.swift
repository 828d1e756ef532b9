// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is held to the same rules; the C target too has its warnings as errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "VisualQuery",
  products: [
    .library(name: "PixelMatch", targets: ["PixelMatch"]),
    .library(name: "VisualQuery", targets: ["VisualQuery"]),
    .executable(name: "vq", targets: ["vq"]),
  ],
  targets: [
    .target(
      name: "CImage",
      cSettings: [.treatAllWarnings(as: .error), .define("_GNU_SOURCE")]),
    .systemLibrary(name: "CSQLite"),
    .target(
      name: "PixelMatch", dependencies: ["CImage"],
      exclude: ["Signatures/make_keypoint_pattern.py"], swiftSettings: strict),
    .target(name: "VisualQuery", dependencies: ["PixelMatch", "CSQLite"], swiftSettings: strict),
    .executableTarget(
      name: "vq", dependencies: ["VisualQuery", "PixelMatch"], swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["PixelMatch"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "PixelMatchTests", dependencies: ["PixelMatch", "CImage", "TestSupport"],
      resources: [.copy("Conformance")], swiftSettings: strict),
    .testTarget(
      name: "VisualQueryTests", dependencies: ["VisualQuery", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "vqTests", dependencies: ["vq", "TestSupport"],
      resources: [.copy("Golden")], swiftSettings: strict),
  ]
)
