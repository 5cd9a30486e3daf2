// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "CustomStore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ArchiveStore", targets: ["ArchiveStore"]),
    .library(name: "ColumnStore", targets: ["ColumnStore"]),
    .library(name: "FolderStore", targets: ["FolderStore"]),
  ],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    .target(
      name: "ArchiveStore",
      dependencies: [
        .product(name: "StoreProtocol", package: "OpenSwiftData"),
        .product(name: "QueryEvaluation", package: "OpenSwiftData"),
      ]
    ),
    .target(
      name: "ColumnStore",
      dependencies: [
        .product(name: "StoreProtocol", package: "OpenSwiftData"),
        .product(name: "QueryEvaluation", package: "OpenSwiftData"),
        .product(name: "StoreHelpers", package: "OpenSwiftData"),
      ]
    ),
    .target(
      name: "FolderStore",
      dependencies: [
        .product(name: "StoreProtocol", package: "OpenSwiftData"),
        .product(name: "QueryEvaluation", package: "OpenSwiftData"),
      ]
    ),
    .testTarget(
      name: "CustomStoreTests",
      dependencies: [
        "ArchiveStore", "ColumnStore", "FolderStore",
        .product(name: "StoreProtocol", package: "OpenSwiftData"),
        .product(name: "StoreConformance", package: "OpenSwiftData"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
