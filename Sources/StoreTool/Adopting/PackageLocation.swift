import CommandLineSupport
import Foundation

/// The location of OpenSwiftData for the written package.
struct PackageLocation {
  /// The dependency in a manifest.
  let dependency: String

  /// Interprets the folder of a checkout, or the URL of a repository.
  init(_ text: String) throws {
    if text.contains("://") || text.hasPrefix("git@") {
      dependency = ".package(url: \(AdoptedPackage.literal(text)), branch: \"main\")"
      return
    }
    let folder = URL(filePath: text).resolvingSymlinksInPath()
    guard Self.isCheckout(folder) else {
      throw UsageError(
        "'\(text)' is neither a checkout of OpenSwiftData nor the URL of its repository"
      )
    }
    let path = ProjectPaths.joined(folder.path(percentEncoded: false), "")
    dependency = ".package(name: \"OpenSwiftData\", path: \(AdoptedPackage.literal(path)))"
  }

  /// Finds the checkout in which this program was built.
  static func ofProgram() throws -> PackageLocation {
    var folder = Bundle.main.executableURL?.resolvingSymlinksInPath()
    while let next = folder?.deletingLastPathComponent(), next.path != "/", next != folder {
      if isCheckout(next) { return try PackageLocation(next.path(percentEncoded: false)) }
      folder = next
    }
    throw UsageError("pass the checkout or the URL of OpenSwiftData as --package")
  }

  private static func isCheckout(_ folder: URL) -> Bool {
    ["Package.swift", "Sources/SwiftData"].allSatisfy {
      FileManager.default.fileExists(atPath: folder.appending(path: $0).path(percentEncoded: false))
    }
  }
}
