// swift-tools-version: 6.2
import PackageDescription

/// The package's name for the compiler: benchmarks measure single parts of the library, which only its own package sees. The name is that of
/// the folder that the library lies in.
let library = String(
  Context.packageDirectory.split(separator: "/").dropLast().last!.lowercased()
    .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })

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
      // SwiftPM would give its own name.
      packageAccess: false,
      swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-package-name", library])]),
  ]
)
