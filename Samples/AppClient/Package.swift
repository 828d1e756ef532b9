// swift-tools-version: 6.2
import PackageDescription

// The app's side of VisualQuery. In an app, the files of Sources/AppClient are added to the Xcode project, where Apple's modules
// are; on Linux the package is compiled and tested with stand-ins for them.
let stubs = ["CoreVideo", "CoreImage", "VisualIntelligence", "AppIntents"]
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
let stubSettings = settings + [.enableUpcomingFeature("InternalImportsByDefault")]

let package = Package(
  name: "AppClient",
  targets: [
    .target(name: "CoreVideo", path: "Stubs/CoreVideo", swiftSettings: stubSettings),
    .target(
      name: "CoreImage", dependencies: ["CoreVideo"], path: "Stubs/CoreImage",
      swiftSettings: stubSettings),
    .target(
      name: "VisualIntelligence", dependencies: ["CoreVideo"], path: "Stubs/VisualIntelligence",
      swiftSettings: stubSettings),
    .target(name: "AppIntents", path: "Stubs/AppIntents", swiftSettings: stubSettings),
    .target(
      name: "AppClient", dependencies: stubs.map { .init(stringLiteral: $0) },
      swiftSettings: settings + [.define("APP_INTENTS_STUB")]),
    .testTarget(name: "AppClientTests", dependencies: ["AppClient"], swiftSettings: settings),
  ]
)
