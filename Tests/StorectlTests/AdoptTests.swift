import CommandLineSupport
import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreTool

@Suite("storectl adopt")
struct AdoptTests {
  private static let model = """
    import Foundation
    import SwiftData
    import WidgetKit
    @Model final class Bird { var name = "" }
    """
  private static let tests = """
    import Testing
    @testable import Back_yard
    @Test func saved() {}
    """

  /// The files of an app whose model needs no user interface.
  private static let files = [
    "App/Bird.swift": model,
    "App/Screen.swift": "import SwiftUI\nstruct Screen: Panel {}\n",
    "App/Router.swift": "import SwiftUI\nlet first = Screen()\n",
    "AppTests/BirdTests.swift": tests,
    "AppTests/ScreenTests.swift": "import SwiftUI\n@Test func shown() { _ = Screen() }\n",
    "Shared/Seed data.swift": "let seeds = 1\n",
  ]

  @Test func `the files that compile are in the package, others have a reason`() async throws {
    let app = try AdoptApp(Self.files)
    let run = try await app.adopt()
    #expect(run.code == 0, "\(run.errors)")
    #expect(
      run.lines.dropLast(2) == [
        "Back_yard: 2 of 4 files; with models: 1 of 1",
        "  left out: App/Router.swift: cannot find 'Screen' in scope; App/Screen.swift, which "
          + "declares it, is left out",
        "  left out: App/Screen.swift: cannot find type 'Panel' in scope; the file imports SwiftUI",
        "BackyardTests: 1 of 2 files",
        "  left out: AppTests/ScreenTests.swift: cannot find 'Screen' in scope; App/Screen.swift, "
          + "which declares it, is left out",
        "  left out: BackyardUITests: it tests the user interface",
        "Stand-ins: Combine, WidgetKit",
      ]
    )
    #expect(run.lines.dropLast().last == "Tests: 1, failed: 0, left out: 1")
    #expect(run.lines.last == "swift test --package-path \(app.path)Linux")
    #expect(run.errors.hasPrefix("Building 6 files of Back_yard, BackyardTests\n"))
    #expect(app.runs.withLock { $0.map(\.[0]) } == ["build", "build", "test"])
  }

  @Test func `the manifest has the project's settings`() async throws {
    let app = try AdoptApp(
      Self.files,
      settings: """
        SWIFT_VERSION = 6.0; SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor;
        SWIFT_APPROACHABLE_CONCURRENCY = YES;
        SWIFT_UPCOMING_FEATURE_MEMBER_IMPORT_VISIBILITY = YES;
        PRODUCT_BUNDLE_IDENTIFIER = "app.\\\"Back";
        SWIFT_ACTIVE_COMPILATION_CONDITIONS = "DEBUG $(inherited) BETA";
        """
    )
    #expect(try await app.adopt().code == 0)
    let manifest = try app.written("Package.swift")
    #expect(manifest.hasPrefix("// swift-tools-version: 6.2\n"))
    #expect(manifest.contains("defaultLocalization: \"en\""))
    #expect(
      manifest.contains(
        "swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self), "
          + ".enableUpcomingFeature(\"InferIsolatedConformances\"), "
          + ".enableUpcomingFeature(\"MemberImportVisibility\"), "
          + ".enableUpcomingFeature(\"NonisolatedNonsendingByDefault\"), .define(\"BETA\")]"
      )
    )
    #expect(manifest.contains("\"Shared/Seed data.swift\""))
    #expect(!manifest.contains("Screen.swift") && !manifest.contains("unsafeFlags"))
    #expect(
      manifest.contains(
        "dependencies: [.product(name: \"SwiftData\", package: \"OpenSwiftData\"), \"Back_yard\", "
          + "\"Combine\"]"
      )
    )
    #expect(try app.written("StandIns/WidgetKit/WidgetKit.swift").contains("WidgetCenter"))
    #expect(try app.written("AGENTS.md").contains("swift test"))
    let exports = try app.written("Sources/Back_yard/AppleExports.swift")
    #expect(exports.contains("bundleIdentifier: String? { \"app.\\\"Back\" }"))
    #expect(
      exports.contains("@_exported public import Combine")
        && exports.contains("init(\n    localized key")
    )
  }

  @Test func `the app's files are linked and unchanged`() async throws {
    let app = try AdoptApp(Self.files)
    let before = try app.folder.names()
    #expect(try await app.adopt().code == 0)
    #expect(try app.folder.names() == (before + ["Linux"]).sorted())
    for (path, text) in Self.files {
      #expect(try String(contentsOf: app.folder.file(path), encoding: .utf8) == text)
    }
    let link = app.folder.file("Linux/Sources/Back_yard/App/Bird.swift").path
    let destination = try FileManager.default.destinationOfSymbolicLink(atPath: link)
    #expect(destination == "../../../../App/Bird.swift")
    #expect(try app.written("Sources/Back_yard/App/Bird.swift") == Self.model)
  }

  @Test func `a second run updates the folder and keeps the user's stand-ins`() async throws {
    let app = try AdoptApp(Self.files)
    #expect(try await app.adopt().code == 0)
    try app.write("// mine", to: "Linux/StandIns/WidgetKit/WidgetKit.swift")
    try FileManager.default.removeItem(at: app.folder.file("App/Router.swift"))
    try app.write("import SwiftUI\nlet title = 1", to: "App/Screen.swift")
    let run = try await app.adopt()
    #expect(run.lines.first == "Back_yard: 3 of 3 files; with models: 1 of 1", "\(run.errors)")
    #expect(try app.written("StandIns/WidgetKit/WidgetKit.swift") == "// mine")
    #expect(throws: (any Error).self) { try app.written("Sources/Back_yard/App/Router.swift") }
    #expect(try app.written("Package.swift").contains("Screen.swift"))
  }

  @Test func `the report is JSON on demand`() async throws {
    let app = try AdoptApp(Self.files)
    let run = try await app.adopt("--format", "json", output: "Test Case 'A.b' failed (0.1 s)\n")
    #expect(run.code == 0)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let tests = try #require(json?["tests"] as? [String: Any])
    #expect(tests.compactMapValues { $0 as? Int } == ["run": 1, "failed": 1, "leftOut": 1])
    #expect(tests["unended"] as? [String] == [])
    let targets = try #require(json?["targets"] as? [[String: Any]])
    #expect(targets.map { $0["name"] as? String } == ["Back_yard", "BackyardTests"])
    #expect(targets.first?["files"] as? [String] == ["App/Bird.swift", "Shared/Seed data.swift"])
    #expect((targets.first?["leftOut"] as? [[String: String]])?.count == 2)
  }

  @Test func `files of one name in two folders have names of their own in the package`()
    async throws
  {
    var files = Self.files
    files["App/Shared/Bird.swift"] = "let bird = 1"
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    #expect(run.lines.first == "Back_yard: 3 of 5 files; with models: 1 of 1", "\(run)")
    #expect(try app.written("Sources/Back_yard/App/Bird.swift") == files["App/Bird.swift"])
    #expect(try app.written("Sources/Back_yard/App-Shared-Bird.swift") == "let bird = 1")
    #expect(try app.written("Package.swift").contains("\"App-Shared-Bird.swift\","))
  }

  @Test func `a test that does not end is named`() async throws {
    let app = try AdoptApp(Self.files)
    let run = try await app.adopt(
      output: "✔ Test saved() passed after 0.1 seconds.\n◇ Test waits() started.\n"
    )
    #expect(run.lines.contains("  did not end: waits()"), "\(run)")
  }

  @Test func `a test that ends the program is left out, and the others run`() async throws {
    var files = Self.files
    files["AppTests/BirdTests.swift"] = Self.tests + "\n@Test func crashes() {}\n"
    let app = try AdoptApp(files)
    let frame = "0 0x1 crashes() in x at /x/Linux/Tests/BackyardTests/AppTests/BirdTests.swift:4:7"
    let run = try await app.adopt(
      crash: "Fatal error: lost\n\(frame)\nerror: exited with unexpected signal code 4\n"
    )
    let line = "  left out of AppTests/BirdTests.swift: crashes: it crashes: Fatal error: lost"
    // The other one is in the file that needs a view.
    let count = "Tests: 1, failed: 0, left out: 2"
    #expect(run.lines.contains(line) && run.lines.contains(count), "\(run)")
    let copy = try app.written("Tests/BackyardTests/AppTests/BirdTests.swift")
    #expect(copy.hasPrefix(Self.tests) && !copy.contains("crashes"))
  }

  @Test func `no test that runs is a failure`() async throws {
    let none = try await AdoptApp(Self.files).adopt(output: "")
    #expect(none.code == 1 && none.errors.contains("no test of"))
    var files = Self.files
    files["AppTests/BirdTests.swift"] = "struct Double: Panel {}"
    let app = try AdoptApp(files)
    #expect(try await app.adopt().code == 1)
    #expect(app.runs.withLock { $0.allSatisfy { $0[0] == "build" } })
    #expect(try !app.written("Package.swift").contains("testTarget"))
  }

  @Test func `a module that files test for has no stand-in`() async throws {
    var files = Self.files
    files["App/Guarded.swift"] = """
      #if canImport(WidgetKit)
        import WidgetKit
      #endif
      """
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    let line = "  left out of App/Bird.swift: import WidgetKit: no such module 'WidgetKit'"
    #expect(run.lines.contains(line), "\(run.output)")
    #expect(run.lines.contains("Stand-ins: Combine"))
    let copy = try app.written("Sources/Back_yard/App/Bird.swift")
    #expect(copy.contains("import SwiftData") && !copy.contains("WidgetKit"))
    #expect(try app.written("Sources/Back_yard/App/Guarded.swift") == files["App/Guarded.swift"])
  }

  @Test func `files of the user interface are left out before the first build`() async throws {
    var files = Self.files
    files["App/Card.swift"] =
      "import SwiftUI\nstruct Card: Codable, View {}\nextension Card { func show() {} }\n"
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    let line = "  left out: App/Card.swift: cannot find 'View' in scope; the file imports SwiftUI"
    #expect(run.lines.contains(line), "\(run.output)")
    #expect(run.errors.hasPrefix("Building 6 files of"))
    // A stand-in of the user's may declare what they need.
    try app.write("public protocol View {}", to: "Linux/StandIns/SwiftUI/SwiftUI.swift")
    #expect(try await !app.adopt().lines.contains(line))
  }

  @Test func `a type inside of a view that is left out keeps its name`() async throws {
    var files = Self.files
    files["App/Card.swift"] = "import SwiftUI\nstruct Card: View {}\nstruct Row: View {}\n"
    files["App/CardModel.swift"] = """
      extension Card { final class Model { func shown() {} } }
      extension Row { func shown() {} }
      """
    let app = try AdoptApp(files)
    #expect(try await app.adopt().code == 0)
    let exports = try app.written("Sources/Back_yard/AppleExports.swift")
    #expect(exports.hasSuffix("\nenum Card {}\n"), "\(exports)")
  }

  @Test func `what needs a type that is left out is left out before the first build`() async throws
  {
    var files = Self.files
    files["App/Card.swift"] = "import SwiftUI\nstruct Card: View {}\nenum Deck { case Card }\n"
    files["App/Router.swift"] = """
      struct Router {
        let start = Router.Card
        func open() { show(Card()) }
        #if os(iOS)
          let card = Card()
        #endif
      }
      struct Opener { var router = Router(); let card: Card }
      func run() { _ = Opener() }
      """
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    #expect(run.errors.hasPrefix("Building 7 files of"))
    for name in ["Router.open", "Opener"] {
      let line = "  left out of App/Router.swift: \(name): cannot find 'Card' in scope; "
      #expect(run.lines.contains(line + "it is left out of App/Card.swift"), "\(run.output)")
    }
    #expect(run.output.contains("run: cannot find 'Opener' in scope; it is left out of App/Router"))
    let copy = try app.written("Sources/Back_yard/App/Router.swift")
    #expect(copy.contains("let start = Router.Card") && copy.contains("let card = Card()"))
  }

  @Test func `only the declarations that do not compile are left out of a file`() async throws {
    var files = Self.files
    let bird = "import SwiftUI\n@Model final class Bird {\n  var name = \"\"\n"
    files["App/Bird.swift"] = bird + "  static func shown() { Screen() }\n}\n"
    files["App/Program.swift"] = "@main enum Program {}\nlet kept = 1\n"
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    #expect(run.lines.first == "Back_yard: 3 of 5 files; with models: 1 of 1", "\(run)")
    let line = "  left out of App/Bird.swift: Bird.shown: cannot find 'Screen' in scope; "
    #expect(run.output.contains(line + "App/Screen.swift, which declares it, is left out\n"))
    #expect(
      run.output.contains("left out of App/Program.swift: Program: it is the program's entry point")
    )
    let copy = try app.written("Sources/Back_yard/App/Bird.swift")
    #expect(copy.hasPrefix(bird) && !copy.contains("Screen"))
    #expect(try app.written("Sources/Back_yard/App/Program.swift").hasSuffix("\nlet kept = 1\n"))
    #expect(
      try String(contentsOf: app.folder.file("App/Bird.swift"), encoding: .utf8)
        == files["App/Bird.swift"]
    )
  }

  @Test func `the entry point of the program is left out`() async throws {
    var files = Self.files
    files["App/Program.swift"] = "@main enum Program { static func main() {} }"
    files["App/main.swift"] = "print(1)"
    let run = try await AdoptApp(files).adopt()
    for file in ["App/Program.swift", "App/main.swift"] {
      #expect(run.lines.contains("  left out: \(file): it is the program's entry point"))
    }
  }

  @Test func `an exception of a synchronized folder is not in the target`() async throws {
    let app = try AdoptApp(Self.files, exceptions: "Screen.swift, Bird.swift")
    let run = try await app.adopt("--output", app.folder.file("Other").path)
    #expect(run.lines.first == "Back_yard: 1 of 2 files", "\(run)")
  }

  @Test func `hostile names are escaped, or their files left out`() async throws {
    var files = Self.files
    files["App/a\"\\(b).swift"] = "let a = 1"
    files["App/line\nbreak.swift"] = "let b = 1"
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    #expect(run.code == 0, "\(run.errors)")
    #expect(try app.written("Package.swift").contains(#""App/a\"\\(b).swift""#))
    #expect(run.output.contains("its name has control characters"))
  }
}

extension AdoptTests {
  @Test(arguments: [
    ("{objects = {", "is damaged"),
    ("{objects = {}; rootObject = P; }", "has no project"),
    ("bplist00", "is not in the form that Xcode writes"),
    (String(repeating: "{a=", count: 100_000), "is damaged"),
  ])
  func `a damaged project is an error`(_ text: String, _ reason: String) async throws {
    let app = try AdoptApp(Self.files)
    try app.write(text, to: "Backyard.xcodeproj/project.pbxproj")
    let run = try await app.adopt()
    #expect(run.code == 1)
    #expect(run.errors.contains("project.pbxproj \(reason)"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: app.folder.file("Linux").path))
  }

  @Test func `groups in a circle are read once`() async throws {
    let app = try AdoptApp(Self.files)
    let file = app.folder.file("Backyard.xcodeproj/project.pbxproj")
    let text = try String(contentsOf: file, encoding: .utf8)
    try app.write(
      text.replacing("children = (F2, );", with: "children = (F2, G, G3, );"),
      to: "Backyard.xcodeproj/project.pbxproj"
    )
    #expect(try await app.adopt().code == 0)
  }

  @Test func `a folder with other files is not changed`() async throws {
    let app = try AdoptApp(Self.files)
    try app.write("my own", to: "Linux/Package.swift")
    let run = try await app.adopt()
    #expect(run.code == 1 && run.errors.contains("has other files"))
    #expect(try app.written("Package.swift") == "my own")
  }

  @Test func `an app without a project is an error`() async throws {
    let app = try AdoptApp(Self.files)
    try FileManager.default.removeItem(at: app.folder.file("Backyard.xcodeproj"))
    let run = try await app.adopt()
    #expect(run.code == 1 && run.errors.contains("has no Xcode project"))
  }

  @Test func `projects beside each other are adopted together`() async throws {
    var files = Self.files
    let core = """
      {objects = {P = {isa = PBXProject; mainGroup = G; targets = (T1, ); };
        G = {isa = PBXGroup; children = (G1, ); sourceTree = "<group>"; };
        G1 = {isa = PBXFileSystemSynchronizedRootGroup; path = Core; sourceTree = "<group>"; };
        T1 = {isa = PBXNativeTarget; name = Core; buildPhases = ();
          productType = "com.apple.product-type.framework";
          fileSystemSynchronizedGroups = (G1, ); };
      }; rootObject = P; }
      """
    files["Core.xcodeproj/project.pbxproj"] = core
    files["Core/Nest.swift"] = "import SwiftData\n@Model final class Nest {}"
    files["App/Home.swift"] = "import Core"
    let app = try AdoptApp(files)
    let run = try await app.adopt()
    #expect(run.lines.contains("Core: 1 of 1 files; with models: 1 of 1"), "\(run)")
    // The app's project does not name the other's target; its import does.
    let product = "dependencies: [.product(name: \"SwiftData\", package: \"OpenSwiftData\"), "
    #expect(try app.written("Package.swift").contains(product + "\"Core\""))
  }

  @Test func `packages in the app's folder are adopted`() async throws {
    var files = Self.files
    files["Kit/Package.swift"] = "import PackageDescription"
    files["Kit/Sources/Nest.swift"] = "import SwiftData\n@Model final class Nest {}"
    files["Kit/Sources/Old/Nest.swift"] = "let old = 1"
    files["Kit/Checks/NestTests.swift"] = "import Kit\nimport Testing"
    let app = try AdoptApp(files)
    let run = try await app.adopt(
      manifest: """
        warning: 'kit': {
        {
          "name": "Kit", "toolsVersion": {"_version": "6.2.0"},
          "targets": [
            {"name": "Kit", "type": "regular", "exclude": ["Old"], "settings": [
              {"tool": "swift", "kind": {"swiftLanguageMode": {"_0": "5"}}},
              {"tool": "swift", "kind": {"defaultIsolation": {"_0": "MainActor"}}},
              {"tool": "swift", "kind": {"enableUpcomingFeature": {"_0": "ExistentialAny"}}}]},
            {"name": "KitTests", "type": "test", "path": "Checks", "sources": ["NestTests.swift"]},
            {"name": "KitMacros", "type": "macro"}
          ]
        }
        """
    )
    #expect(run.lines.contains("Kit: 1 of 1 files; with models: 1 of 1"), "\(run)")
    #expect(run.lines.contains("KitTests: 1 of 1 files"))
    #expect(run.lines.contains("  left out: KitMacros: it is no module or test"))
    let manifest = try app.written("Package.swift")
    #expect(
      manifest.contains(
        "swiftSettings: [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self), "
          + ".enableUpcomingFeature(\"ExistentialAny\")]"
      )
    )
    #expect(manifest.contains("package: \"OpenSwiftData\"), \"Kit\", \"Combine\"]"))
    #expect(try app.written("Sources/Kit/Kit/Sources/Nest.swift").contains("Nest"))
    // Nothing is written beside the manifest.
    let scratch = try #require(app.runs.withLock { $0.first { $0[0] == "package" } })
    #expect(scratch.contains("\(app.path)Linux/.build/manifests"))
  }

  @Test func `an error outside of the app's files ends the command`() async throws {
    let app = try AdoptApp(Self.files)
    let tool = PackageTool { _ in
      PackageTool.Outcome(status: 1, output: "error: libsqlite3 is missing\n")
    }
    var adoption = try Adoption(
      of: app.path,
      to: nil,
      location: PackageLocation("https://example.invalid/OpenSwiftData.git"),
      tool: tool,
      progress: { _ in }
    )
    let error = #expect(throws: CommandFailure.self) { try adoption.run() }
    #expect(error?.description.hasSuffix(": libsqlite3 is missing") == true)
    #expect(
      try app.written("Package.swift").contains(
        ".package(url: \"https://example.invalid/OpenSwiftData.git\", branch: \"main\")"
      )
    )
  }

  @Test func `a location without OpenSwiftData is wrong usage`() async throws {
    let app = try AdoptApp(Self.files)
    let run = await Run.storectl("adopt", app.path, "--package", app.path)
    #expect(run.code == 64 && run.errors.contains("neither a checkout"))
  }
}
