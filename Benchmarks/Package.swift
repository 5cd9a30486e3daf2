// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: ".."),
    .package(name: "CustomStore", path: "../Examples/CustomStore"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // SQLite's C interface, for the controls by hand. The library's own module is not for others.
    .systemLibrary(
      name: "RawSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .executableTarget(
      name: "benchmark",
      dependencies: [
        "RawSQLite",
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "ColumnStore", package: "CustomStore"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    // Scripts/test-load --writers
    .executableTarget(
      name: "writers",
      dependencies: [
        .product(name: "OpenSwiftData", package: "OpenSwiftData"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Writers"
    ),
  ],
  swiftLanguageModes: [.v6]
)
