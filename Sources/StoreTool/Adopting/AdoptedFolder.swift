import CommandLineSupport
import Foundation

/// The folder of the written package.
///
/// Files of the app are symbolic links, so that an edit of one is an edit of the app.
struct AdoptedFolder {
  /// The line of a manifest by which the command recognizes its own folder.
  static let mark = "Written by 'storectl adopt', which updates this folder when it runs again."
  /// The file of each target that exports what Apple's frameworks do.
  static let exportsFile = "AppleExports.swift"

  let path: String
  private let app: String
  private let manager = FileManager.default

  /// Creates a folder, or finds one that the command has written.
  ///
  /// - Throws: `CommandFailure` for any other folder that is not empty.
  init(_ path: String, ofApp app: String) throws {
    self.app = app
    let manifest = try? String(contentsOfFile: path + "/Package.swift", encoding: .utf8)
    let entries = (try? manager.contentsOfDirectory(atPath: path)) ?? []
    guard entries.isEmpty || manifest?.contains("// " + Self.mark) == true else {
      throw CommandFailure("\(path) has other files; pass a new folder as --output")
    }
    do {
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure("\(path) cannot be created: \(error.localizedDescription)")
    }
    // Relative links lead through the real parents of a folder.
    let folder = URL(filePath: path).resolvingSymlinksInPath()
    self.path = ProjectPaths.joined(folder.path(percentEncoded: false), "")
  }

  /// Writes the manifest, the links to the app's files, the copies and the stand-ins.
  func write(_ package: AdoptedPackage, isSearching: Bool) throws {
    do {
      // A manifest comes first: a run that fails leaves a folder that the next one recognizes.
      try write(package.manifest(isSearching: isSearching), to: "Package.swift")
      for folder in ["Sources", "Tests"] { try removeLinks(in: folder, besides: package) }
      let hasCombine = !package.tested.contains("Combine")
      for target in package.written {
        try write(target, exports: Self.exports(of: target, withCombine: hasCombine))
      }
      for name in package.standIns { try writeStandIn(name) }
      try write(Self.agents(package), to: "AGENTS.md")
      try write(".build/\n", to: ".gitignore")
    } catch {
      throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  private func write(_ target: AdoptedTarget, exports: String) throws {
    try write(exports, to: "\(target.folder)/\(Self.exportsFile)")
    let copies = target.copies
    for file in target.readable {
      let place = target.place(of: file)
      if let copy = copies[file] {
        try write(copy, to: place)
      } else {
        try link(place, to: "\(app)/\(file)")
      }
    }
  }

  /// Removes the links and copies of files that the app no longer has.
  private func removeLinks(in folder: String, besides package: AdoptedPackage) throws {
    let kept = Set(
      package.written.flatMap { target in
        target.readable.map(target.place) + ["\(target.folder)/\(Self.exportsFile)"]
      }
    )
    guard let all = manager.enumerator(atPath: "\(path)/\(folder)") else { return }
    for case let name as String in all where name.hasSuffix(".swift") {
      let place = "\(folder)/\(name)"
      if !kept.contains(place) { try manager.removeItem(atPath: "\(path)/\(place)") }
    }
  }

  /// Returns the types that stand-ins declare, some of which the user may have added.
  func types(ofStandIns names: [String]) -> Set<String> {
    names.reduce(into: []) { types, name in
      let file = "\(path)/StandIns/\(name)/\(name).swift"
      let source = try? String(contentsOfFile: file, encoding: .utf8)
      types.formUnion(SourceSummary(source ?? "").types)
    }
  }

  /// Writes a stand-in, unless the user has a version with more declarations.
  private func writeStandIn(_ name: String) throws {
    let place = "StandIns/\(name)/\(name).swift"
    guard !manager.fileExists(atPath: "\(path)/\(place)") else { return }
    try write(StandIns.module(name).source, to: place)
  }

  /// Writes a file unless it has this text: a new date would compile it again.
  private func write(_ text: String, to place: String) throws {
    let file = "\(path)/\(place)"
    if (try? manager.destinationOfSymbolicLink(atPath: file)) != nil {
      try manager.removeItem(atPath: file)
    }
    guard (try? String(contentsOfFile: file, encoding: .utf8)) != text else { return }
    try createParent(of: file)
    try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
  }

  private func link(_ place: String, to target: String) throws {
    let file = "\(path)/\(place)"
    // Relative, so that the app can be moved with its folder.
    let destination = Self.relative(target, from: (file as NSString).deletingLastPathComponent)
    guard (try? manager.destinationOfSymbolicLink(atPath: file)) != destination else { return }
    try? manager.removeItem(atPath: file)
    try createParent(of: file)
    try manager.createSymbolicLink(atPath: file, withDestinationPath: destination)
  }

  private func createParent(of file: String) throws {
    let folder = (file as NSString).deletingLastPathComponent
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private static func relative(_ path: String, from folder: String) -> String {
    let (target, start) = (path.split(separator: "/"), folder.split(separator: "/"))
    let common = zip(target, start).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: start.count - common)
    return (up + target.dropFirst(common).map(String.init)).joined(separator: "/")
  }
}
