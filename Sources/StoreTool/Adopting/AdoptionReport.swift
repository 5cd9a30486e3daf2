import CommandLineSupport

/// The result of an adoption, and its output as JSON.
struct AdoptionReport: Encodable {
  /// A target or a file that is left out.
  struct Omission: Encodable {
    let name: String
    let reason: String
  }

  /// A declaration that is left out of a file.
  struct Declaration: Encodable {
    let file: String
    let name: String
    let reason: String
  }

  struct Target: Encodable {
    let name: String
    let isTest: Bool
    let files: [String]
    /// The number of files with models, and of those that compile.
    let modelFiles: Int
    let compiledModelFiles: Int
    /// The files that are changed copies.
    let copies: [String]
    let leftOut: [Omission]
    let declarationsLeftOut: [Declaration]
  }

  let folder: String
  let targets: [Target]
  let targetsLeftOut: [Omission]
  let standIns: [String]
  private(set) var tests: TestCount
  /// The command that runs the tests.
  let command: String

  init(
    _ package: AdoptedPackage,
    folder: String,
    leftOut: [Omission],
    tests: TestCount
  ) {
    self.folder = folder
    self.tests = tests
    self.tests.leftOut = package.targets.reduce(0) { $0 + $1.testsLeftOut }
    targets = package.targets.map(Self.target)
    targetsLeftOut = leftOut
    standIns = package.standIns
    command = "swift test --package-path \(Self.quoted(folder))"
  }

  private static func target(_ target: AdoptedTarget) -> Target {
    Target(
      name: target.module,
      isTest: target.isTest,
      files: target.files.keys.sorted(),
      modelFiles: target.modelFiles.count,
      compiledModelFiles: target.modelFiles.filter { target.files[$0] != nil }.count,
      copies: target.copies.keys.filter { target.files[$0] != nil }.sorted(),
      leftOut: target.leftOut.sorted { $0.key < $1.key }
        .map { Omission(name: $0.key, reason: $0.value) },
      declarationsLeftOut: target.declarationsLeftOut
    )
  }

  /// Returns a word for a shell.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte >= 0x80 || SwiftName.isPlain("x" + String(UnicodeScalar(byte)))
        || "/.-+@".utf8.contains(byte)
    }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// Prints the report as text.
  func print(to console: Console) {
    for target in targets {
      let models =
        target.modelFiles == 0
        ? "" : "; with models: \(target.compiledModelFiles) of \(target.modelFiles)"
      let total = target.files.count + target.leftOut.count
      console.print("\(target.name.visible): \(target.files.count) of \(total) files\(models)")
      Self.print(target.leftOut, to: console)
      for item in target.declarationsLeftOut {
        console.print("  left out of \(item.file.visible): \(item.name): \(item.reason.visible)")
      }
      let shortened = Set(target.declarationsLeftOut.map(\.file))
      for file in target.copies where !shortened.contains(file) {
        console.print(
          "  copied: \(file.visible): XCTest on Linux needs tests on the main actor to be async"
        )
      }
    }
    Self.print(targetsLeftOut, to: console)
    if !standIns.isEmpty {
      console.print("Stand-ins: \(standIns.joined(separator: ", "))")
    }
    console.print("Tests: \(tests.run), failed: \(tests.failed), left out: \(tests.leftOut)")
    for name in tests.unended { console.print("  did not end: \(name.visible)") }
    console.print(command)
  }

  private static func print(_ omissions: [Omission], to console: Console) {
    for omission in omissions {
      console.print("  left out: \(omission.name.visible): \(omission.reason.visible)")
    }
  }
}
