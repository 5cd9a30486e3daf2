// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Travels",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "OpenSwiftData", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Travels",
      dependencies: [.product(name: "OpenSwiftData", package: "OpenSwiftData")]
    )
  ]
)

// snippet.file.travels-package
