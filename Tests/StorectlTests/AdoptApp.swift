import CommandLineSupport
import Foundation
import StoreTestSupport
import Synchronization

@testable import StoreTool

/// An Xcode app in a folder of its own, and a compiler that is played.
final class AdoptApp: Sendable {
  let folder: TemporaryFolder
  /// A folder that looks like a checkout of OpenSwiftData.
  private let checkout: TemporaryFolder
  /// The arguments of each run of the played compiler.
  let runs = Mutex<[[String]]>([])

  /// Creates an app `Backyard` with unit tests and tests of its user interface.
  ///
  /// The exceptions are the files of the folder `App` that the app lacks.
  init(
    _ files: [String: String],
    settings: String = "SWIFT_VERSION = 5.0;",
    exceptions: String = ""
  ) throws {
    folder = try TemporaryFolder()
    checkout = try TemporaryFolder()
    try write("", to: "Package.swift", in: checkout)
    try write("", to: "Sources/SwiftData/Exports.swift", in: checkout)
    for (path, text) in files { try write(text, to: path) }
    try write(
      Self.project(settings, exceptions: exceptions),
      to: "Backyard.xcodeproj/project.pbxproj"
    )
  }

  var path: String { folder.url.path(percentEncoded: false) }

  func write(_ text: String, to path: String, in folder: TemporaryFolder? = nil) throws {
    let file = (folder ?? self.folder).file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
  }

  /// The text of a written file.
  func written(_ path: String) throws -> String {
    try String(contentsOf: folder.file("Linux/" + path), encoding: .utf8)
  }

  /// Runs the command with a compiler that reports an error for each file that contains the word
  /// `Panel`, and for each that contains `Screen` while no compiled file declares it.
  ///
  /// The output is that of the tests, after the crash of a first run; the manifest is that of
  /// packages in the app's folder.
  func adopt(
    _ words: String...,
    output: String = "✔ Test saved() passed after 0.1 seconds.\n",
    crash: String? = nil,
    manifest: String = ""
  ) async throws -> Run {
    let tool = PackageTool { [self] arguments in
      let isFirstTest = runs.withLock { runs in
        runs.append(arguments)
        return runs.count { $0[0] == "test" } == 1
      }
      if arguments[0] == "test" {
        let text = isFirstTest ? crash ?? output : output
        return PackageTool.Outcome(status: 0, output: text)
      }
      if arguments[0] == "package" { return PackageTool.Outcome(status: 0, output: manifest) }
      let errors = try Self.errors(in: arguments[3])
      return PackageTool.Outcome(status: errors.isEmpty ? 0 : 1, output: errors)
    }
    let console = Console.recording()
    let package = ["--package", checkout.url.path(percentEncoded: false)]
    let code = await AdoptCommand.command(tool: tool)
      .run([path] + package + words, environment: [:], console: console)
    return Run(
      code: code.rawValue,
      output: console.output.pendingText,
      errors: console.errors.pendingText
    )
  }

  private static func errors(in package: String) throws -> String {
    let manifest = try String(contentsOfFile: package + "/Package.swift", encoding: .utf8)
    var errors = ""
    var folder = ""
    for line in manifest.split(separator: "\n").map({ $0.trimmingPrefix { $0 == " " } }) {
      if line.hasPrefix("path: ") { folder = String(line.split(separator: "\"")[1]) }
      guard line.hasSuffix(".swift\",") else { continue }
      let name = line.dropFirst().dropLast(2).replacing("\\\"", with: "\"")
      let file = "\(package)/\(folder)/\(name.replacing("\\\\", with: "\\"))"
      let text = try String(contentsOfFile: file, encoding: .utf8)
      if text.contains(": Panel") {
        errors += "\(file):1:8: error: cannot find type 'Panel' in scope\n"
      } else if text.contains("Screen()"), !manifest.contains("Screen.swift") {
        let place = Self.place(of: "Screen()", in: text)
        errors += "\(file):\(place): error: cannot find 'Screen' in scope\n"
      }
    }
    return errors
  }

  /// Returns the line and the column of a word.
  private static func place(of word: String, in text: String) -> String {
    let lines = text.components(separatedBy: "\n")
    guard let index = lines.firstIndex(where: { $0.contains(word) }),
      let range = lines[index].range(of: word)
    else { return "1:1" }
    let column = lines[index].utf8.distance(from: lines[index].startIndex, to: range.lowerBound)
    return "\(index + 1):\(column + 1)"
  }

  private static func project(_ settings: String, exceptions: String) -> String {
    """
    // !$*UTF8*$!
    {
      archiveVersion = 1;
      objectVersion = 77;
      objects = {
        P = {isa = PBXProject; mainGroup = G; buildConfigurationList = L; developmentRegion = en;
          projectDirPath = ""; targets = (T1, T2, T3, ); };
        G = {isa = PBXGroup; children = (G1, G2, G3, F1, ); sourceTree = "<group>"; };
        G1 = {isa = PBXFileSystemSynchronizedRootGroup; path = App; sourceTree = "<group>";
          exceptions = (E1, ); };
        G2 = {isa = PBXFileSystemSynchronizedRootGroup; path = AppTests; sourceTree = "<group>"; };
        G3 = {isa = PBXGroup; path = Shared; sourceTree = "<group>"; children = (F2, ); };
        F1 = {isa = PBXFileReference; path = ../Outside.swift; sourceTree = "<group>"; };
        F2 = {isa = PBXFileReference; path = "Seed data.swift"; sourceTree = "<group>"; };
        E1 = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = T1;
          membershipExceptions = (\(exceptions)); };
        S1 = {isa = PBXSourcesBuildPhase; files = (B1, B2, ); };
        B1 = {isa = PBXBuildFile; fileRef = F1; };
        B2 = {isa = PBXBuildFile; fileRef = F2; };
        L = {isa = XCConfigurationList; buildConfigurations = (C0, C1, ); };
        C0 = {isa = XCBuildConfiguration; name = Release; buildSettings = {SWIFT_VERSION = 4.0; }; };
        C1 = {isa = XCBuildConfiguration; name = Debug; buildSettings = {\(settings) }; };
        L1 = {isa = XCConfigurationList; buildConfigurations = (C2, ); };
        C2 = {isa = XCBuildConfiguration; name = Debug;
          buildSettings = {PRODUCT_NAME = "$(TARGET_NAME)"; }; };
        T1 = {isa = PBXNativeTarget; name = "Back yard"; buildConfigurationList = L1;
          productType = "com.apple.product-type.application"; buildPhases = (S1, );
          fileSystemSynchronizedGroups = (G1, ); };
        T2 = {isa = PBXNativeTarget; name = BackyardTests; buildConfigurationList = L1;
          productType = "com.apple.product-type.bundle.unit-test"; buildPhases = ();
          fileSystemSynchronizedGroups = (G2, ); dependencies = (D1, Missing, ); };
        T3 = {isa = PBXNativeTarget; name = BackyardUITests; buildConfigurationList = L1;
          productType = "com.apple.product-type.bundle.ui-testing"; buildPhases = (); };
        D1 = {isa = PBXTargetDependency; target = T1; };
      };
      rootObject = P;
    }
    """
  }
}
