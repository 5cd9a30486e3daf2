// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "TravelKit",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "TravelKit", targets: ["TravelKit"])
  ],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    // The models without any store: which one is up to whoever uses the library.
    .target(
      name: "TravelKit",
      dependencies: [.product(name: "ModelLayer", package: "OpenSwiftData")]
    ),
    // Somebody who uses it.
    .executableTarget(
      name: "Logbook",
      dependencies: [
        "TravelKit",
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
      ]
    ),
    .testTarget(
      name: "TravelKitTests",
      dependencies: [
        "TravelKit",
        .product(name: "StoreTesting", package: "OpenSwiftData"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
