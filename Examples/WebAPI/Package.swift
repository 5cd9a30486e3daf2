// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "WebAPI",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git",
      exact: "2.28.1",
      traits: []
    ),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
  ],
  targets: [
    .target(
      name: "TripService",
      dependencies: [
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "ComposableStores", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]
    ),
    .executableTarget(
      name: "TripServer",
      dependencies: [
        "TripService",
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "ComposableStores", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    // SQLite's C interface, for what is written by hand: a server to compare with, and a lock in a test.
    .systemLibrary(
      name: "RawSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .executableTarget(
      name: "HandServer",
      dependencies: ["RawSQLite", .product(name: "Hummingbird", package: "hummingbird")],
      path: "Load/HandServer"
    ),
    .testTarget(
      name: "TripServiceTests",
      dependencies: [
        "TripService", "RawSQLite",
        .product(name: "ComposableStores", package: "OpenSwiftData"),
        .product(name: "StoreTesting", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
