// swift-tools-version: 6.2
import PackageDescription

/// Every C target has its warnings as errors and, in release builds, glibc's checks of buffer lengths.
let guardedC: [CSetting] = [
  .treatAllWarnings(as: .error),
  .define("_GNU_SOURCE"),
  .define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release)),
]

/// The commit for `vq --version`, from VQ_COMMIT in the environment, which docs/deploy/build.sh sets. SwiftPM's own
/// `Context.gitInformation` does not serve: the evaluated manifest is cached, so it would name an older commit.
let commit = (Context.environment["VQ_COMMIT"] ?? "").filter {
  $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
}

let commitSettings: [CSetting] =
  commit.isEmpty ? [] : [.define("VQ_COMMIT", to: "\"\(commit)\"")]

/// Every Swift target is held to the same rules.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The client for apps has the settings of Clients/Swift/Package.swift: others would isolate its asynchronous functions otherwise.
let client: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The code on pixels, in which the tests spend most of their time, is optimized in debug builds, too, if VQ_OPTIMIZE is set, which
/// Tests/run.sh does; its checks and their messages stay. Otherwise it is not: a package with such flags cannot be a dependency.
let optimized: [SwiftSetting] =
  Context.environment["VQ_OPTIMIZE"] == nil
  ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// The floors of the library. A target depends on each floor whose declarations it sees, also on those that another floor hands
/// on to it: it is compiled again only if a module that it names here has changed, and would otherwise keep the old layout of a type.
let floors: [Target.Dependency] = [
  "ShopBase", "ShopModel", "ShopFeeds", "ShopStore", "ShopScale", "ShopIndex", "ShopSearch",
]

let package = Package(
  name: "VisualQuery",
  // PixelMatch computes signatures in apps (Samples/AppClient). It needs Span and InlineArray.
  platforms: [.iOS(.v26), .macOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "PixelMatch", targets: ["PixelMatch"]),
    .library(name: "Reading", targets: ["Reading"]),
    .library(name: "VisualQuery", targets: ["VisualQuery"]),
    // For apps that depend on this repository by its URL. Clients/Swift is the same for older systems, as a folder.
    .library(name: "VisualQueryClient", targets: ["VisualQueryClient"]),
    .executable(name: "vq", targets: ["vq"]),
  ],
  traits: [
    .default(enabledTraits: ["Codecs"]),
    .trait(
      name: "Codecs", description: "Reads JPEG and PNG, writes JPEG: libjpeg, libpng, Little CMS."),
  ],
  targets: [
    .target(name: "CKernels", cSettings: guardedC),
    .target(name: "CWorkers", cSettings: guardedC),
    .target(
      name: "CImage", dependencies: ["CWorkers"], cSettings: guardedC),
    .target(name: "CBuild", cSettings: guardedC + commitSettings),
    .target(name: "CCurl", path: "Sources/Libraries/CCurl", cSettings: guardedC),
    .target(name: "CFiles", cSettings: guardedC),
    .target(name: "CMapping", cSettings: guardedC),
    .systemLibrary(name: "CExpat", path: "Sources/Libraries/CExpat"),
    .systemLibrary(name: "CNettle", path: "Sources/Libraries/CNettle"),
    .target(
      name: "CReading", dependencies: ["CWorkers"], path: "Sources/Libraries/CReading",
      cSettings: guardedC),
    .target(name: "CPostgres", path: "Sources/Libraries/CPostgres", cSettings: guardedC),
    .target(
      name: "CSQLite", dependencies: ["CMapping"], path: "Sources/Libraries/CSQLite",
      cSettings: guardedC),
    .systemLibrary(name: "CZlib", path: "Sources/Libraries/CZlib"),
    .target(name: "CEpoll", cSettings: guardedC),
    .target(name: "CFeeds", exclude: ["files"], cSettings: guardedC),
    .target(name: "CConfidence", exclude: ["files"], cSettings: guardedC),
    .target(
      name: "CServer", exclude: ["files"], cSettings: guardedC),
    .target(
      name: "PixelMatch",
      dependencies: [
        "CKernels", "CMapping", .target(name: "CImage", condition: .when(traits: ["Codecs"])),
      ],
      swiftSettings: strict + optimized),
    .target(
      name: "Reading", dependencies: ["PixelMatch", "CNettle", "CReading", "CWorkers"],
      swiftSettings: strict + optimized),
    // The floors of the library, each above those that it names; people import the last one, which hands on the others.
    .target(
      name: "ShopBase", dependencies: ["PixelMatch", "CFiles", "CNettle", "CSQLite"],
      path: "Sources/VisualQuery/Base", swiftSettings: strict),
    .target(
      name: "ShopModel", dependencies: ["ShopBase", "PixelMatch", "Reading"],
      path: "Sources/VisualQuery/Model", swiftSettings: strict),
    .target(
      name: "ShopFeeds",
      dependencies: ["ShopBase", "ShopModel", "PixelMatch", "CExpat", "CFeeds", "CZlib"],
      path: "Sources/VisualQuery/Feeds", swiftSettings: strict),
    .target(
      name: "ShopStore",
      dependencies: [
        "ShopBase", "ShopModel", "PixelMatch", "Reading", "CCurl", "CFiles", "CSQLite",
      ],
      path: "Sources/VisualQuery/Store", swiftSettings: strict),
    .target(
      name: "ShopScale",
      dependencies: ["ShopBase", "ShopModel", "ShopStore", "PixelMatch", "CPostgres"],
      path: "Sources/VisualQuery/Scale", swiftSettings: strict),
    .target(
      name: "ShopIndex",
      dependencies: [
        "ShopBase", "ShopModel", "ShopFeeds", "ShopStore", "ShopScale", "PixelMatch", "Reading",
        "CZlib",
      ],
      path: "Sources/VisualQuery/Index", swiftSettings: strict),
    .target(
      name: "ShopSearch",
      dependencies: [
        "ShopBase", "ShopModel", "ShopStore", "PixelMatch", "Reading", "CConfidence", "CZlib",
      ],
      path: "Sources/VisualQuery/Search", swiftSettings: strict),
    .target(
      name: "VisualQuery",
      dependencies: floors,
      exclude: ["Base", "Model", "Feeds", "Store", "Scale", "Index", "Search"],
      swiftSettings: strict),
    .target(
      name: "VisualQueryClient", path: "Clients/Swift/Sources/VisualQueryClient",
      resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: client),
    .target(name: "HTTPServer", dependencies: ["CEpoll"], swiftSettings: strict),
    .executableTarget(
      name: "vq",
      dependencies: floors + [
        "VisualQuery", "PixelMatch", "Reading", "HTTPServer", "CBuild", "CServer",
      ],
      swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["PixelMatch", "CZlib"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "PixelMatchTests", dependencies: ["PixelMatch", "TestSupport"],
      resources: [.copy("Conformance")], swiftSettings: strict),
    .testTarget(
      name: "ReadingTests", dependencies: ["Reading", "PixelMatch", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "VisualQueryTests",
      dependencies: floors + ["VisualQuery", "PixelMatch", "Reading", "TestSupport"],
      exclude: ["Store/Catalogue/Versions"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "vqTests",
      dependencies: floors + [
        "vq", "HTTPServer", "VisualQuery", "PixelMatch", "Reading", "TestSupport",
      ],
      resources: [.copy("Golden")], swiftSettings: strict),
  ]
)

// .ci/sanitize builds only what it runs.
if Context.environment["VQ_SANITIZED"] != nil {
  let kept = [
    "CKernels", "CImage", "CMapping", "CWorkers", "CZlib", "PixelMatch", "TestSupport",
    "PixelMatchTests",
  ]
  package.products.removeAll { !kept.contains($0.name) }
  package.targets.removeAll { !kept.contains($0.name) }
}
