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
  ],
  targets: [
    .target(
      name: "TripService",
      dependencies: [
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .executableTarget(
      name: "TripServer",
      dependencies: [
        "TripService",
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .testTarget(
      name: "TripServiceTests",
      dependencies: [
        "TripService",
        .product(name: "StoreTesting", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
