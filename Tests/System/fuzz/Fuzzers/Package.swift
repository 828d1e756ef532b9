// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

// Apart from the library, so that it is built with coverage and the address sanitizer by `../run.sh`.
// All targets share one program: the sanitized libraries are built and linked once.
let package = Package(
  name: "Fuzzers",
  dependencies: [.package(name: "VisualQuery", path: "../../../..")],
  targets: [
    // The parsers in a link to the server's target, which is not a product: only products of another package can be
    // imported.
    .target(name: "HTTP", sources: ["Messages", "Parsing"], swiftSettings: strict),
    // Counts what an input costs.
    .target(name: "Meter"),
    .executableTarget(
      name: "Fuzzers",
      dependencies: [
        "HTTP", "Meter", .product(name: "PixelMatch", package: "VisualQuery"),
        .product(name: "Reading", package: "VisualQuery"),
        .product(name: "VisualQuery", package: "VisualQuery"),
      ],
      swiftSettings: strict),
  ]
)
