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

  /// Reads the project of an app.
  ///
  /// - Parameters:
  ///   - app: The folder of the app, or its Xcode project.
  ///   - output: The folder of the written package, whose files are not the app's.
  /// - Throws: `CommandFailure` if there is no project or several, and for a damaged one.
  init(ofApp app: URL, without output: URL) throws {
    let bundle = try Self.bundle(in: app)
    let parent = bundle.deletingLastPathComponent().path(percentEncoded: false)
    let projectFolder = ProjectPaths.joined(parent, "")
    folder =
      app.pathExtension == "xcodeproj"
      ? projectFolder : ProjectPaths.joined(app.path(percentEncoded: false), "")
    name = bundle.deletingPathExtension().lastPathComponent
    let file = try ProjectFile(contentsOf: bundle.appending(path: "project.pbxproj"))
    localization = file.root.text("developmentRegion")
    let membership = TargetFiles(
      of: file,
      paths: ProjectPaths(of: file, in: projectFolder),
      in: folder,
      without: output.path(percentEncoded: false)
    )
    for target in file.objects("targets", of: file.root)
    where target.text("isa") == "PBXNativeTarget" {
      let name = target.text("name") ?? target.id
      let settings = BuildSettings(of: target, in: file)
      targets.append(
        Target(
          id: target.id,
          name: name,
          kind: Self.kind(target.text("productType") ?? ""),
          module: settings.module(ofTarget: name),
          settings: settings,
          dependencies: file.objects("dependencies", of: target).compactMap { $0.text("target") },
          files: membership.files(of: target)
        )
      )
    }
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

  /// Finds the project that is nearest to a folder.
  private static func bundle(in app: URL) throws -> URL {
    let path = app.path(percentEncoded: false)
    if app.pathExtension == "xcodeproj" { return app }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { throw CommandFailure("\(path) is not a folder") }
    var level = [app]
    // An app's project is at most in a folder of a folder.
    for _ in 0..<3 {
      let entries = level.flatMap(SourceFile.folders)
      let found = entries.filter { $0.pathExtension == "xcodeproj" }
      if let first = found.first, found.count == 1 { return first }
      guard found.isEmpty else {
        let names = found.map { $0.lastPathComponent }.sorted().joined(separator: ", ")
        throw CommandFailure("\(path) has several projects; pass one of them as APP: \(names)")
      }
      level = entries.filter { !["Pods", "Carthage", "build"].contains($0.lastPathComponent) }
    }
    throw CommandFailure(
      "\(path) has no Xcode project. A package with models needs one line in its manifest: "
        + ".product(name: \"SwiftData\", package: \"OpenSwiftData\", condition: .when(platforms: "
        + "[.linux]))"
    )
  }
}
