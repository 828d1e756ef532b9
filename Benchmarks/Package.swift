// swift-tools-version: 6.2
import PackageDescription

// Separate from the library, so that its users do not build benchmarks. Run with `./run.sh`.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "VisualQuery", path: "..")],
  targets: [
    .target(name: "CPeers"),
    .executableTarget(
      name: "vq-bench",
      dependencies: [
        "CPeers", .product(name: "PixelMatch", package: "VisualQuery"),
        .product(name: "VisualQuery", package: "VisualQuery"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
