// swift-tools-version: 6.2
import PackageDescription

// Programs of your own that use the library, as they would be in another repository: there,
// `path:` is replaced by the URL of this one, and `from:` a version (.ci/by-url).
let package = Package(
  name: "Embed",
  dependencies: [.package(name: "VisualQuery", path: "../..")],
  targets: [
    .executableTarget(
      name: "Embed",
      dependencies: [
        .product(name: "PixelMatch", package: "VisualQuery"),
        .product(name: "VisualQuery", package: "VisualQuery"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "OneProgram",
      dependencies: [.product(name: "VisualQuery", package: "VisualQuery")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
