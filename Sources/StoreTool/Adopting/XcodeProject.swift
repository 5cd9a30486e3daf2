import CommandLineSupport
import Foundation

/// The targets of an Xcode project with their Swift files and settings.
struct XcodeProject {
  /// A target of the project.
  struct Target {
    enum Kind: Equatable {
      case module, unitTests
      /// A target that is not adopted, with the reason.
      case other(String)
    }

    let id: String
    let name: String
    let kind: Kind
    /// The name of its module.
    let module: String
    let settings: BuildSettings
    /// The identifiers of the targets on which it depends.
    let dependencies: [String]
    /// Paths of Swift files, relative to the app's folder.
    var files: [String]
  }

  /// The folder that contains all files.
  let folder: String
  let name: String
  /// The language of the app's texts, such as `en`.
  let localization: String?
  private(set) var targets: [Target] = []

  /// Reads the projects of an app.
  ///
  /// - Parameters:
  ///   - app: The folder of the app, or its Xcode project.
  ///   - output: The folder of the written package, whose files are not the app's.
  /// - Throws: `CommandFailure` if there is no project, and for a damaged one.
  init(ofApp app: URL, without output: String) throws {
    let bundles = try Self.bundles(in: app)
    let parent = app.pathExtension == "xcodeproj" ? app.deletingLastPathComponent() : app
    folder = ProjectPaths.joined(parent.path(percentEncoded: false), "")
    let files = try bundles.map {
      try ProjectFile(contentsOf: $0.appending(path: "project.pbxproj"))
    }
    name =
      bundles.count == 1
      ? bundles[0].deletingPathExtension().lastPathComponent : parent.lastPathComponent
    localization = files.lazy.compactMap { $0.root.text("developmentRegion") }.first
    for (bundle, file) in zip(bundles, files) {
      let path = bundle.deletingLastPathComponent().path(percentEncoded: false)
      read(file, in: ProjectPaths.joined(path, ""), without: output)
    }
  }

  /// Adds the targets of a project in a folder.
  private mutating func read(_ file: ProjectFile, in place: String, without output: String) {
    let membership = TargetFiles(
      of: file,
      paths: ProjectPaths(of: file, in: place),
      in: folder,
      without: output
    )
    for target in file.objects("targets", of: file.root)
    where target.text("isa") == "PBXNativeTarget" {
      let name = target.text("name") ?? target.id
      let settings = BuildSettings(of: target, in: file)
      targets.append(
        Target(
          id: file.path + target.id,
          name: name,
          kind: Self.kind(target.text("productType") ?? ""),
          module: settings.module(ofTarget: name),
          settings: settings,
          dependencies: file.objects("dependencies", of: target)
            .compactMap { $0.text("target").map { file.path + $0 } },
          files: membership.files(of: target)
        )
      )
    }
  }

  /// Adds the targets of packages.
  mutating func add(_ packages: [LocalPackage], without output: String) {
    for package in packages { targets += package.targets(in: folder, without: output) }
  }

  private static func kind(_ productType: String) -> Target.Kind {
    switch productType.replacing("com.apple.product-type.", with: "") {
    case "application", "framework", "framework.static", "library.static", "library.dynamic":
      .module
    case "bundle.unit-test": .unitTests
    case "bundle.ui-testing": .other("it tests the user interface")
    default: .other("it is no app, framework or unit test")
    }
  }

  /// Finds the projects that are nearest to a folder.
  private static func bundles(in app: URL) throws -> [URL] {
    let path = app.path(percentEncoded: false)
    if app.pathExtension == "xcodeproj" { return [app] }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { throw CommandFailure("\(path) is not a folder") }
    var level = [app]
    // An app's project is at most in a folder of a folder.
    for _ in 0..<3 {
      let entries = level.flatMap(SourceFile.projectFolders)
      let found = entries.filter { $0.pathExtension == "xcodeproj" }
      guard found.isEmpty else { return found.sorted { $0.path < $1.path } }
      level = entries
    }
    throw CommandFailure(
      "\(path) has no Xcode project. A package with models needs one line in its manifest: "
        + ".product(name: \"SwiftData\", package: \"OpenSwiftData\", condition: .when(platforms: "
        + "[.linux]))"
    )
  }
}
