import Foundation
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("The parts of storectl adopt")
struct AdoptPartsTests {
  @Test func `a file's imports, models and types are read without comments and conditions`() {
    let summary = SourceSummary(
      """
      // import Comment
      import Foundation; import Charts
      @testable import Backyard
      internal import struct Alamofire.Session
      #if canImport(UIKit)
        import UIKit
      #endif
      let text = "import Text"
      @Model final class Bird { class func find() {} ; enum Kind { case a } }
      @ModelActor actor Loader {}
      """
    )
    #expect(summary.imports == ["Foundation", "Charts", "Backyard", "Alamofire"])
    #expect(summary.tested == ["UIKit"])
    #expect(summary.models == 1)
    #expect(summary.types.isSuperset(of: ["Bird", "Kind", "Loader"]))
  }

  @Test func `the tests of a file are counted, those of XCTest where it is imported`() {
    let source = """
      final class BirdTests: XCTestCase {
        func testOne() async throws {}
        func testHelper(_ count: Int) {}
        func tearDown() {}
      }
      @Test("a song", arguments: [1, 2]) func testSong(_ count: Int) {}
      @Test @MainActor func testCall() {}
      // @Test func comment() {}
      """
    #expect(SourceSummary(source).tests == 2)
    #expect(SourceSummary("import Testing; import XCTest\n" + source).tests == 3)
  }

  @Test func `errors are found by file, also in expansions of macros`() {
    let output = """
      /tmp/x/Sources/A/b c.swift:1:8: error: no such module 'UIKit'
      1 | import UIKit
        |        `- error: no such module 'UIKit'
      /tmp/x/Sources/A/b c.swift:9:1: error: later
      /tmp/x/Sources/A/w.swift:1:1: warning: unused
      macro expansion @Model:2:6: error: type 'Color' does not conform
      `- /tmp/x/Sources/A/m.swift:4:2: note: expanded code originates here
      /other/Dependency.swift:1:1: error: elsewhere
      error: fatalError
      """
    let files: Set<String> = ["Sources/A/b c.swift", "Sources/A/w.swift", "Sources/A/m.swift"]
    let errors = CompilerErrors(in: output, files: files)
    #expect(
      errors.byFile.mapValues { $0.map(\.message) } == [
        "Sources/A/b c.swift": ["no such module 'UIKit'", "later"],
        "Sources/A/m.swift": ["type 'Color' does not conform"],
      ]
    )
    let position = CompilerErrors.Position(line: 4, column: 2)
    #expect(errors.byFile["Sources/A/m.swift"]?.first?.position == position)
    #expect(errors.others == ["elsewhere", "fatalError"])
  }

  private static let declarations = """
    import SwiftUI
    @Model final class Bird {
      var name: String = "a" +
        "b"
      var color: Color { .red }
      static let sample = Bird()
      init() {}
      @MainActor func show(_ body: () -> Void = {}) -> Int { 1 }
    }
    struct Card<T>: Codable, SwiftUI.View where T: Hashable {
      @State private var count = 1 { didSet { print(count) } }
      func encode(to encoder: any Encoder) {}
      override func setUp() {}
      indirect enum Kind { case a, b; var text: String { "" } }
    }
    extension Bird { convenience init(name: String) { self.init() } }
    protocol Singer { func sing()
      var song: String { get } }
    let first = Bird()
    @main struct Program: App {}
    #Preview("Card") { Card() }
    """

  @Test func `declarations that a copy can do without are found`() {
    let declarations = SourceDeclarations(Self.declarations)
    #expect(
      declarations.items.map(\.name) == [
        "Bird.color", "Bird.sample", "Bird.show", "Card.Kind.text", "Card.Kind", "Card",
        "Bird.init",
        "Bird", "Singer", "first", "Program", "#Preview",
      ]
    )
    #expect(declarations.items[5].types == ["Codable", "SwiftUI", "View"])
    #expect(declarations.items.filter(\.isMain).map(\.name) == ["Program"])
  }

  @Test(arguments: [
    (5, 20, "Bird.color"), (8, 3, "Bird.show"), (14, 41, "Card.Kind.text"), (14, 22, "Card.Kind"),
    (11, 30, "Card"), (3, 7, nil), (2, 1, nil), (1, 8, nil), (99, 1, nil), (0, 0, nil),
  ])
  func `an error is in the innermost of them`(_ line: Int, _ column: Int, _ name: String?) {
    let position = CompilerErrors.Position(line: line, column: column)
    #expect(SourceDeclarations(Self.declarations).item(at: position)?.name == name)
  }

  @Test func `the import of one declaration is no declaration`() {
    let declarations = SourceDeclarations(
      """
      @preconcurrency import UIKit
      import protocol SwiftUI.View
      #if canImport(AppKit)
        import AppKit
      #endif
      internal import struct Charts.Chart; import OSLog
      struct Card: View {}
      """
    )
    #expect(declarations.items.map(\.name) == ["Card"])
    #expect(
      declarations.imports.map(\.name)
        == ["import UIKit", "import SwiftUI", "import Charts", "import OSLog"]
    )
    #expect(declarations.imports.map(\.range.lowerBound) == [0, 29, 103, 140])
  }

  @Test(arguments: [
    (["PRODUCT_NAME": "klettrack", "PRODUCT_MODULE_NAME": "$(PRODUCT_NAME)"], "klettrack"),
    (["PRODUCT_NAME": "$(TARGET_NAME)", "PRODUCT_MODULE_NAME": "${PRODUCT_NAME}Kit"], "My_appKit"),
    (["PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)"], "My_app"),
    (["PRODUCT_NAME": "$(OTHER) app"], "My_app"),
  ])
  func `the name of a module has the values of its variables`(
    _ values: [String: String],
    _ name: String
  ) throws {
    let settings = values.map { "\"\($0)\" = \"\($1)\";" }.joined()
    let text = """
      {objects = {P = {targets = (T); }; T = {buildConfigurationList = L; };
        L = {buildConfigurations = (C); }; C = {name = Debug; buildSettings = {\(settings)}; };
      }; rootObject = P; }
      """
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: folder.file("project.pbxproj"))
    let project = try ProjectFile(contentsOf: folder.file("project.pbxproj"))
    let target = try #require(project.object("T"))
    #expect(BuildSettings(of: target, in: project).module(ofTarget: "My app") == name)
  }

  @Test func `blanks stand for what is left out`() {
    let source = "import A\nstruct É: View {\n  var a = \"é\"\n}\nlet b = 1"
    let items = SourceDeclarations(source).items
    let rest = SourceDeclarations.source(source, without: [items[0]])
    #expect(rest.split(separator: "\n", omittingEmptySubsequences: false).count == 5)
    #expect(rest.filter { !$0.isWhitespace } == "importAletb=1")
    #expect(!SourceDeclarations(rest).isEmpty)
    #expect(SourceDeclarations(SourceDeclarations.source(source, without: items)).isEmpty)
  }

  @Test(arguments: [
    "struct", "class A {", "func f(", "let x =", "extension A: {", "@", "}", "#Preview",
  ])
  func `damaged source is read to its end`(_ source: String) {
    #expect(SourceDeclarations(source).items.count <= 1)
  }

  @Test func `single tests of both frameworks are counted`() {
    let output = """
      Test Suite 'All tests' started
      Test Case 'ATests.testOne' started at 10:00
      Test Case 'ATests.testOne' passed (0.1 seconds)
      Test Case 'ATests.testTwo' failed (0.1 seconds)
      Executed 2 tests, with 1 failure (0 unexpected) in 0.2 (0.2) seconds
      ✔ Test case passing 1 argument n → 1 to each(_:) passed after 0.001 seconds.
      ✔ Test each(_:) with 2 test cases passed after 0.001 seconds.
      ✘ Test "a bird" failed after 0.001 seconds with 1 issue.
      ✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue.
      """
    let count = TestCount(in: output)
    #expect(count.run == 4)
    #expect(count.failed == 2)
  }

  @Test func `tests that began and did not end are found`() {
    let count = TestCount(
      in: """
        ◇ Test run started.
        Test Case 'ATests.testOne' started at 2026-11-30 10:00:00.000
        Test Case 'ATests.testTwo' started at 2026-11-30 10:00:00.100
        Test Case 'ATests.testOne' passed (0.1 seconds)
        ◇ Test saves(_:) started.
        ◇ Test case passing 1 argument count → 1 to saves(_:) started.
        ✘ Test saves(_:) recorded an issue at ATests.swift:3:5: Issue recorded: it failed (again)
        ✘ Test saves(_:) with 2 test cases failed after 0.1 seconds with 1 issue.
        """
    )
    #expect(count.run == 2 && count.failed == 1 && count.unended == ["ATests.testTwo"])
  }

  @Test func `a program that prints nothing for too long is ended`() throws {
    let endless = ["bash", "-c", "echo begun; exec sleep 600"]
    let outcome = try PackageTool.output(of: endless, patience: 1)
    #expect(outcome.isEnded && outcome.output == "begun\n" && outcome.status != 0)
    let words = ["bash", "-c", "echo a; echo b >&2; exit 3"]
    let short = try PackageTool.output(of: words, patience: nil)
    #expect(!short.isEnded && short.output == "a\nb\n" && short.status == 3)
  }

  @Test func `the calls before a crash are found`() {
    let frame =
      "  1 [ra] 0x1 ATests.testOne() + 4 in P.xctest at /x/Linux/Tests/A/ATests.swift:46:27"
    let output = """
      A/Bundle.swift:19: Fatal error: Failed to locate a.json
      \(frame)
        2 [ra] 0x2 main at /tmp/swift-generated-sources/a.swift:1:1
      error: Process 'P.xctest' exited with unexpected signal code 4
      """
    let crash = TestCrash(in: output, files: ["Tests/A/ATests.swift"])
    #expect(crash?.entries.map(\.file) == ["Tests/A/ATests.swift"])
    #expect(crash?.entries.first?.error.position == CompilerErrors.Position(line: 46, column: 27))
    #expect(
      crash?.entries.first?.error.message == "it crashes: Fatal error: Failed to locate a.json"
    )
    #expect(TestCrash(in: frame, files: ["Tests/A/ATests.swift"]) == nil)
  }

  /// Classes in another file of the target.
  private static let superclasses = """
    class ActorTests: BaseTests {}
    class BaseTests: XCTestCase {}
    @MainActor class StoreTests: BaseTests {}
    """

  private func rewritten(_ source: String, isOnMainActor: Bool = false) -> String? {
    TestRewriting.rewritten(
      source,
      isOnMainActor: isOnMainActor,
      classes: TestRewriting.classes(in: source + Self.superclasses)
    )
  }

  @Test func `isolated tests and their preparation become asynchronous`() {
    let source = """
      @MainActor final class BirdTests: XCTestCase {
        var sut: Bird!
        override func setUpWithError() throws {
          try super.setUpWithError()
          sut = Bird()
        }
        override func tearDown() { super.tearDown() }
        func testName() { XCTAssertEqual(sut.name, "func testNot()") }
        func testThrows() throws {}
        func testAlready() async {}
        nonisolated func testElsewhere() {}
        func helper() {}
        func testHelper(_ name: String) {}
      }
      """
    #expect(
      rewritten(source) == """
        @MainActor final class BirdTests: XCTestCase {
          var sut: Bird!
          override func setUp() async throws {
            try await super.setUp()
            sut = Bird()
          }
          override func tearDown() async throws { try await super.tearDown() }
          func testName() async { XCTAssertEqual(sut.name, "func testNot()") }
          func testThrows() async throws {}
          func testAlready() async {}
          nonisolated func testElsewhere() {}
          func helper() {}
          func testHelper(_ name: String) {}
        }
        """
    )
  }

  @Test func `isolated methods of other classes become asynchronous too`() {
    let source = "class A: BaseTests {\n  @MainActor func testOne() {}\n  func testTwo() {}\n}\n"
    #expect(rewritten(source) == source.replacing("testOne()", with: "testOne() async"))
  }

  @Test(arguments: [false, true])
  func `isolation is inherited from classes of other files`(_ isOnMainActor: Bool) {
    let source = "class A: StoreTests {\n  override func setUp() {}\n  func testOne() {}\n}\n"
    let changed =
      "class A: StoreTests {\n  override func setUp() async throws {}\n"
      + "  func testOne() async {}\n}\n"
    #expect(rewritten(source, isOnMainActor: isOnMainActor) == changed)
    #expect(rewritten(source.replacing("StoreTests", with: "ActorTests")) == nil)
  }

  @Test func `with isolation by default the members are isolated, not the class`() {
    let source = """
      final class BirdTests: XCTestCase {
        private var sut = 1
        override func setUp() { super.setUp() }
        override class func setUp() {}
        func testName() throws {}
        nonisolated func testElsewhere() {}
      }
      struct Other { func testNot() {} }
      """
    #expect(
      rewritten(source, isOnMainActor: true) == """
        nonisolated final class BirdTests: XCTestCase {
          @MainActor private var sut = 1
          @MainActor override func setUp() async throws { try await super.setUp() }
          override class func setUp() {}
          @MainActor func testName() async throws {}
          nonisolated func testElsewhere() {}
        }
        struct Other { func testNot() {} }
        """
    )
  }

  @Test(arguments: [
    "class A: XCTestCase { func testOne() {} }", "class A: Other { @MainActor func testOne() {} }",
    "@MainActor struct A { @Test func testOne() {} }", "class A: XCTestCase {", "", "class A: ",
  ])
  func `other files need no change`(_ source: String) {
    #expect(rewritten(source) == nil)
  }
}
