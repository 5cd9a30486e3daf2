import CommandLineSupport

extension AdoptedPackage {
  /// Returns the text of the manifest.
  ///
  /// - Parameter isSearching: Whether the compiler should report the errors of all files.
  /// - Returns: The source of `Package.swift`.
  func manifest(isSearching: Bool) -> String {
    let localized = localization.map { "\n  defaultLocalization: \(Self.literal($0))," } ?? ""
    let list = written.map { Self.text(of: $0, standIns: standIns(of: $0), isSearching) }
    let others = standIns.map { name in
      let exports = StandIns.module(name).exports.map(Self.literal).joined(separator: ", ")
      return """
            .target(name: \(Self.literal(name)), dependencies: [\(exports)], path: \
        \(Self.literal("StandIns/" + name))),

        """
    }
    return """
      // swift-tools-version: 6.2
      // \(AdoptedFolder.mark)

      import PackageDescription

      let package = Package(
        name: \(Self.literal(name)),\(localized)
        dependencies: [\(location.dependency)],
        targets: [
      \((list + others).joined())  ]
      )

      """
  }

  private static func text(
    of target: AdoptedTarget,
    standIns: Set<String>,
    _ isSearching: Bool
  ) -> String {
    let dependencies = (target.dependencies + standIns.sorted()).map(literal)
    let files = target.files.keys.sorted().map(target.name)
    let sources = ([AdoptedFolder.exportsFile] + files).map { "        \(literal($0)),\n" }
    let search = [".unsafeFlags([\"-continue-building-after-errors\", \"-suppress-warnings\"])"]
    let settings = target.target.settings.manifest + (isSearching ? search : [])
    let products = [".product(name: \"SwiftData\", package: \"OpenSwiftData\")"]
    return """
          .\(target.isTest ? "testTarget" : "target")(
            name: \(literal(target.module)),
            dependencies: [\((products + dependencies).joined(separator: ", "))],
            path: \(literal(target.folder)),
            sources: [
      \(sources.joined())      ],
            swiftSettings: [\(settings.joined(separator: ", "))]
          ),

      """
  }

  /// Returns a string literal of Swift.
  static func literal(_ text: String) -> String {
    let escaped = text.replacingScalars { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      default:
        scalar.properties.generalCategory == .control
          ? "\\u{\(String(scalar.value, radix: 16))}" : nil
      }
    }
    return "\"\(escaped)\""
  }
}
