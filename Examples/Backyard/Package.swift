// swift-tools-version: 6.2

import PackageDescription

// snippet.shared-manifest
// The models and tests of an app for Apple's systems, as they are in its Xcode project.
let package = Package(
  name: "Backyard",
  platforms: [.macOS(.v15), .iOS(.v18)],
  targets: [
    .target(
      name: "Backyard",
      path: "App",
      sources: ["Models"],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .testTarget(name: "BackyardTests", dependencies: ["Backyard"], path: "AppTests"),
  ],
  swiftLanguageModes: [.v6]
)

// Elsewhere, a product called SwiftData is OpenSwiftData by another name.
#if os(Linux)
  package.dependencies.append(.package(name: "OpenSwiftData", path: "../.."))
  for target in package.targets {
    target.dependencies.append(.product(name: "SwiftData", package: "OpenSwiftData"))
  }
  // The models mention one class of WidgetKit.
  package.targets[0].dependencies.append("WidgetKit")
  package.targets.append(.target(name: "WidgetKit", path: "Shims/WidgetKit"))
#endif
// snippet.end
