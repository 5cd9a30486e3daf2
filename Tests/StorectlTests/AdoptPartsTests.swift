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
      struct Row<T>: Codable, SwiftUI.View where T: Hashable { let actor: Int }
      extension Row.Kind: @retroactive Identifiable {}
      """
    )
    #expect(summary.imports == ["Foundation", "Charts", "Backyard", "Alamofire"])
    #expect(summary.tested == ["UIKit"])
    #expect(summary.models == 1)
    #expect(summary.types.isSuperset(of: ["Bird", "Kind", "Loader"]))
    let inherited: Set<String> = ["Codable", "View", "Identifiable"]
    #expect(summary.inherited.isSuperset(of: inherited))
    #expect(summary.inherited.isDisjoint(with: ["Hashable", "Int"]))
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
      errors.byFile == [
        "Sources/A/b c.swift": "no such module 'UIKit'",
        "Sources/A/m.swift": "type 'Color' does not conform",
      ]
    )
    #expect(errors.others == ["elsewhere", "fatalError"])
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

  private func rewritten(_ source: String, isOnMainActor: Bool = false) -> String? {
    TestRewriting.rewritten(
      source,
      isOnMainActor: isOnMainActor,
      testClasses: ["XCTestCase", "BaseTests"]
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
