import Foundation

/// A Swift package in an app's folder.
struct LocalPackage {
  /// The manifest as JSON, whose identifier is the package's folder.
  private let manifest: ProjectFile.Object

  /// Reads a manifest, or returns `nil` if the folder has none or it cannot be evaluated.
  ///
  /// - Parameters:
  ///   - folder: The folder of the package.
  ///   - tool: The program that evaluates manifests.
  ///   - scratch: A folder for what the program writes.
  /// - Throws: `CommandFailure` if the program cannot be run.
  init?(in folder: URL, tool: PackageTool, scratch: String) throws {
    let path = folder.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path + "/Package.swift") else { return nil }
    let outcome = try tool.run([
      "package", "--package-path", path, "--scratch-path", scratch, "dump-package",
    ])
    // Warnings may precede the JSON.
    let lines = outcome.output.split(separator: "\n")
    let text = lines.drop { $0 != "{" }.joined(separator: "\n")
    let json = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    guard outcome.status == 0, let fields = json as? [String: Any] else { return nil }
    manifest = ProjectFile.Object(id: path, fields: fields)
  }

  /// Returns the packages in an app's folder, also two levels below it.
  static func all(
    in app: String,
    without output: String,
    tool: PackageTool,
    scratch: String
  ) throws -> [LocalPackage] {
    var (found, level) = ([LocalPackage](), [URL(filePath: app, directoryHint: .isDirectory)])
    for _ in 0..<3 {
      level.removeAll { ProjectPaths.joined($0.path(percentEncoded: false), "") == output }
      found += try level.compactMap {
        try LocalPackage(in: $0, tool: tool, scratch: scratch)
      }
      level = level.flatMap(SourceFile.projectFolders)
    }
    return found
  }

  /// Returns the targets of the package.
  ///
  /// - Parameters:
  ///   - app: The folder to which the paths of files are relative.
  ///   - output: The folder of the written package.
  /// - Returns: The targets, each with its files.
  func targets(in app: String, without output: String) -> [XcodeProject.Target] {
    let version = (manifest.fields["toolsVersion"] as? [String: Any])?["_version"] as? String
    let targets = manifest.fields["targets"] as? [[String: Any]] ?? []
    return targets.map { fields in
      let target = ProjectFile.Object(id: manifest.id, fields: fields)
      let name = target.text("name") ?? ""
      let settings = BuildSettings(ofPackageTarget: target, toolsVersion: version ?? "")
      return XcodeProject.Target(
        id: "\(manifest.id) \(name)",
        name: name,
        kind: Self.kind(target.text("type") ?? ""),
        module: settings.module(ofTarget: name),
        settings: settings,
        dependencies: [],
        files: files(of: target, name, without: output)
          .compactMap { ProjectPaths.relative($0, to: app) }
      )
    }
  }

  private static func kind(_ type: String) -> XcodeProject.Target.Kind {
    switch type {
    case "regular", "executable": .module
    case "test": .unitTests
    default: .other("it is no module or test")
    }
  }

  private func files(
    of target: ProjectFile.Object,
    _ name: String,
    without output: String
  ) -> [String] {
    let parents = target.text("type") == "test" ? ["Tests"] : ["Sources", "Source", "src", "srcs"]
    // A package with one target of a kind may have no folder for it.
    let places = target.text("path").map { [$0] } ?? parents.map { "\($0)/\(name)" } + parents
    let root = places.lazy.map { ProjectPaths.joined(manifest.id, $0) }
      .first { FileManager.default.fileExists(atPath: $0) }
    guard let root else { return [] }
    let isInside = { (file: String, folders: [String]) in
      folders.map { ProjectPaths.joined(root, $0) }
        .contains { file == $0 || ProjectPaths.relative(file, to: $0) != nil }
    }
    let sources = target.fields["sources"] == nil ? ["."] : target.texts("sources")
    return SourceFile.swiftFiles(below: root, without: output).filter {
      isInside($0, sources) && !isInside($0, target.texts("exclude"))
    }
  }
}
