import Foundation

/// A target of an app, with the files of it that the written package has.
struct AdoptedTarget {
  let target: XcodeProject.Target
  let isTest: Bool
  /// The modules of the package's other targets on which it depends.
  var dependencies: [String] = []
  /// The files that compile, as far as known, by their paths relative to the app.
  private(set) var files: [String: SourceSummary] = [:]
  /// The reason for each file that is left out.
  private(set) var leftOut: [String: String] = [:]
  /// The files that could be read.
  private(set) var readable: [String] = []
  /// The types that files declare, with the files.
  private(set) var declarations: [String: String] = [:]
  /// All files with models.
  private(set) var modelFiles: Set<String> = []
  /// The source of files that have to be changed.
  private(set) var copies: [String: String] = [:]

  var module: String { target.module }
  /// The target's folder in the package.
  var folder: String { (isTest ? "Tests/" : "Sources/") + module }

  private static let sizeLimit = 4 << 20

  /// Reads the files of a target.
  init(_ target: XcodeProject.Target, in app: String) {
    self.target = target
    isTest = target.kind == .unitTests
    var sources: [String: String] = [:]
    for file in target.files {
      guard !file.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else {
        leftOut[file] = "its name has control characters"
        continue
      }
      do {
        let bytes = try SourceFile.bytes(of: URL(filePath: app + "/" + file), limit: Self.sizeLimit)
        sources[file] = String(decoding: bytes, as: UTF8.self)
      } catch {
        leftOut[file] = "\(error)"
      }
    }
    readable = sources.keys.sorted()
    files = sources.mapValues(SourceSummary.init)
    modelFiles = Set(files.filter { $0.value.models > 0 }.keys)
    for (file, summary) in files.sorted(by: { $0.key < $1.key }) {
      for type in summary.types where declarations[type] == nil { declarations[type] = file }
    }
    if isTest { copies = Self.copies(of: sources, files, target.settings.isOnMainActor) }
  }

  /// Leaves out a file.
  mutating func leaveOut(_ file: String, because reason: String) {
    files[file] = nil
    leftOut[file] = reason
  }

  /// Returns the files of XCTest that have to be changed.
  private static func copies(
    of sources: [String: String],
    _ files: [String: SourceSummary],
    _ isOnMainActor: Bool
  ) -> [String: String] {
    let tests = sources.filter { files[$0.key]?.imports.contains("XCTest") == true }
    var names: Set<String> = ["XCTestCase"]
    let classes = tests.values.flatMap(TestRewriting.classes)
    // A class may be declared before its superclass.
    var count = 0
    while count != names.count {
      count = names.count
      for item in classes where names.contains(item.superclass) { names.insert(item.name) }
    }
    return tests.compactMapValues {
      TestRewriting.rewritten($0, isOnMainActor: isOnMainActor, testClasses: names)
    }
  }
}
