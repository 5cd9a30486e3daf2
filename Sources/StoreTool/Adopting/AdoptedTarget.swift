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
  /// The types of `declarations` that are not inside of others.
  private let outerTypes: Set<String>
  /// The number of tests in all files.
  private let testCount: Int
  /// All files with models.
  private(set) var modelFiles: Set<String> = []
  /// The source of the files, without what is left out of them.
  private var sources: [String: String] = [:]
  /// The types that are left out, and inside of which extensions declare others.
  private(set) var namespaces: [String] = []
  /// The declarations that are left out of files.
  private(set) var declarationsLeftOut: [AdoptionReport.Declaration] = []

  var module: String { target.module }
  /// The number of tests that are left out, with their files or alone.
  var testsLeftOut: Int { isTest ? testCount - files.values.reduce(0) { $0 + $1.tests } : 0 }
  /// The target's folder in the package.
  var folder: String { (isTest ? "Tests/" : "Sources/") + module }

  /// The names in the target's folder of files that others are named like, which no module allows.
  private var otherNames: [String: String] = [:]

  private static let sizeLimit = 4 << 20

  /// Returns the path of a file relative to the target's folder.
  func name(of file: String) -> String { otherNames[file] ?? file }

  /// Returns the path of a file relative to the package.
  func place(of file: String) -> String { "\(folder)/\(name(of: file))" }

  /// Reads the files of a target.
  init(_ target: XcodeProject.Target, in app: String) {
    self.target = target
    isTest = target.kind == .unitTests
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
    let same = Dictionary(grouping: readable) { ($0 as NSString).lastPathComponent.lowercased() }
    for file in same.values.flatMap({ $0.dropFirst() }) {
      otherNames[file] = file.replacing("/", with: "-")
    }
    files = sources.mapValues(SourceSummary.init)
    testCount = files.values.reduce(0) { $0 + $1.tests }
    modelFiles = Set(files.filter { $0.value.models > 0 }.keys)
    for (file, summary) in files.sorted(by: { $0.key < $1.key }) {
      for type in summary.types where declarations[type] == nil { declarations[type] = file }
    }
    outerTypes = Set(sources.values.flatMap { SourceDeclarations($0).items.map(\.name) })
      .intersection(declarations.keys)
    leaveOutEntryPoint()
  }

  /// The types that are left out, unless a file still declares one of that name.
  var lostTypes: Set<String> {
    outerTypes.subtracting(files.values.flatMap(\.types)).subtracting(namespaces)
  }

  /// Leaves out the program's entry point: a library with a `main` cannot be linked with that of the
  /// tests.
  private mutating func leaveOutEntryPoint() {
    let reason = "it is the program's entry point"
    for (file, source) in sources {
      if (file as NSString).lastPathComponent == "main.swift" { leaveOut(file, because: reason) }
      for item in SourceDeclarations(source).items where item.isMain {
        leaveOut([(item, reason)], of: file)
      }
    }
  }

  /// Leaves out a file.
  mutating func leaveOut(_ file: String, because reason: String) {
    files[file] = nil
    leftOut[file] = reason
    declarationsLeftOut.removeAll { $0.file == file }
  }

  /// Keeps the names of those types that are left out in which extensions declare types: often the
  /// model of a view.
  mutating func keepNames(of types: Set<String>) {
    let outer = files.flatMap { file, summary in
      declarations(of: file).items.compactMap { item -> String? in
        let names = item.name.split(separator: ".").map(String.init)
        return names.count == 2 && summary.types.contains(names[1]) ? names[0] : nil
      }
    }
    namespaces = types.intersection(outer).sorted()
  }

  /// Returns the declarations of a file that can be left out.
  func declarations(of file: String) -> SourceDeclarations {
    SourceDeclarations(sources[file] ?? "")
  }

  /// Leaves declarations out of a file, or the file if nothing is left of it.
  mutating func leaveOut(_ items: [(SourceDeclarations.Item, reason: String)], of file: String) {
    // A type takes its members along.
    let items = items.filter { item in
      !items.contains { $0.0.range != item.0.range && $0.0.range.contains(item.0.range.lowerBound) }
    }
    guard let source = sources[file], let first = items.first else { return }
    let rest = SourceDeclarations.source(source, without: items.map(\.0))
    if SourceDeclarations(rest).isEmpty {
      let earlier = declarationsLeftOut.first { $0.file == file }
      return leaveOut(file, because: earlier?.reason ?? first.reason)
    }
    sources[file] = rest
    files[file] = SourceSummary(rest)
    declarationsLeftOut += items.map { item, reason in
      AdoptionReport.Declaration(file: file, name: item.name, reason: reason)
    }
  }

  /// The files of XCTest that have to be changed, with their source.
  private var rewritten: [String: String] {
    guard isTest else { return [:] }
    let tests = sources.filter { files[$0.key]?.imports.contains("XCTest") == true }
    let classes = tests.values.flatMap(TestRewriting.classes)
    return tests.compactMapValues {
      TestRewriting.rewritten($0, isOnMainActor: target.settings.isOnMainActor, classes: classes)
    }
  }

  /// The source of all files that have to be changed.
  var copies: [String: String] {
    let shortened = Set(declarationsLeftOut.map(\.file)).filter { files[$0] != nil }
    return sources.filter { shortened.contains($0.key) }.merging(rewritten) { $1 }
  }
}
