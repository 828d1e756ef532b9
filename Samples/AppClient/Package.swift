// swift-tools-version: 6.2
import PackageDescription

// The app's side of VisualQuery. In an app, the files of Sources/AppClient are added to the Xcode project, where Apple's modules
// are; on Linux the package is compiled and tested with stand-ins for them.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]
let standInSettings = strict + [.enableUpcomingFeature("InternalImportsByDefault")]
let standIns: [(name: String, uses: [Target.Dependency])] = [
  ("AppleFoundation", []), ("CoreGraphics", []), ("CoreVideo", []), ("CoreSpotlight", []),
  ("CoreTransferable", []), ("UniformTypeIdentifiers", []), ("ImageIO", []),
  ("CoreImage", ["CoreGraphics", "CoreVideo"]),
  ("AppIntents", ["AppleFoundation", "CoreSpotlight", "UniformTypeIdentifiers"]),
  ("VisualIntelligence", ["AppIntents", "CoreVideo"]),
]

let package = Package(
  name: "AppClient",
  platforms: [.iOS(.v17), .macOS(.v14)],
  dependencies: [
    // PixelMatch is for apps that compute signatures on the device. It needs no codecs: the pixels are there.
    .package(name: "VisualQuery", path: "../..", traits: [])
  ],
  targets: standIns.map { name, uses in
    .target(
      name: name, dependencies: uses, path: "StandIns/\(name)", swiftSettings: standInSettings)
  } + [
    .target(
      name: "AppClient",
      dependencies: standIns.map { .target(name: $0.name) } + [
        .product(name: "VisualQueryClient", package: "VisualQuery"),
        .product(name: "PixelMatch", package: "VisualQuery"),
      ],
      exclude: ["Resources"],
      swiftSettings: strict + [.define("APP_INTENTS_STAND_IN")]),
    .testTarget(
      name: "AppClientTests",
      dependencies: [
        "AppClient", .product(name: "VisualQueryClient", package: "VisualQuery"),
        .product(name: "PixelMatch", package: "VisualQuery"),
      ],
      // Testing has overlays for Apple's modules, which the toolchain for Linux lacks.
      swiftSettings: strict + [
        .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])
      ]),
  ]
)
