import Testing

@testable import ModelMacroExpansion

/// A declaration that violates one rule, and the diagnostic of the plugin.
struct Mistake: CustomTestStringConvertible, Sendable {
  let source: String
  /// The code that the error points to.
  let location: String
  let message: String

  var testDescription: String { message }

  /// Every message of the plugin.
  static let all = [
    Mistake(
      source: "@Model struct S { var a = 1 }",
      location: "struct S",
      message: "@Model works on classes only; declare 'S' as a class instead of a struct"
    ),
    Mistake(
      source: "@Model enum E { case a }",
      location: "enum E",
      message: "@Model works on classes only; declare 'E' as a class instead of an enum"
    ),
    Mistake(
      source: "@ModelActor final class A {}",
      location: "class A",
      message: "@ModelActor works on actors only; declare 'A' as an actor instead of a class"
    ),
    Mistake(
      source: "@Model class Trip { var a = 1; var b: Int }",
      location: "Trip",
      message: "'Trip' needs an initializer because 'b' has no initial value; write an init, or "
        + "give 'b' a value"
    ),
    Mistake(
      source: "// The superclass is a model.\n@Model class Sub: Trip { var a = 1 }",
      location: "Sub",
      message:
        "'Sub' needs its own initializer, because a model inherits none; write an init that calls "
        + "super.init"
    ),
    Mistake(
      source: "@Model class Trip { var (a, b) = (1, 2) }",
      location: "(a, b)",
      message: "a persisted property must be a single name; write one var for each part of the "
        + "tuple, or mark it @Transient"
    ),
    Mistake(
      source: "@Model class Trip { private(set) var a = 1, b: Int? }",
      location: "b: Int?",
      message:
        "persisted properties must be declared separately; write one var for each of 'a', 'b'"
    ),
    Mistake(
      source: "@Model class Trip {\n  // é\n  public weak var a: Trip?\n}",
      location: "weak",
      message: "'a' cannot be persisted as a weak reference; remove 'weak', or mark the property "
        + "@Transient"
    ),
    Mistake(
      source: "@Model class Trip { let a = 1 }",
      location: "a = 1",
      message:
        "'a' cannot be set to its stored value because it is a let with an initial value; use "
        + "private(set) var, or assign it in the initializer"
    ),
    Mistake(
      source: "@Model class Trip { @Transient var a: Int; init() {} }",
      location: "a: Int",
      message: "'a' is @Transient, so a fetched object needs a value for it; give it an initial "
        + "value, or make it an optional var"
    ),
    Mistake(
      source: "@Model class Trip { var a = 1; var _a = 2 }",
      location: "_a",
      message: "'_a' conflicts with the storage that @Model generates for 'a'; rename one of them"
    ),
  ]
}

@Suite("Diagnostics")
struct DiagnosticTests {
  @Test(arguments: Mistake.all)
  func `point to the mistake`(_ mistake: Mistake) throws {
    let found = PlayedCompiler(text: mistake.source).diagnostics
    #expect(found.map(\.message) == [mistake.message])
    let range = try #require(mistake.source.firstRange(of: mistake.location))
    let offset = mistake.source.utf8.distance(
      from: mistake.source.utf8.startIndex,
      to: range.lowerBound
    )
    #expect(found.first?.position == .init(fileName: "Fixture.swift", offset: offset))
  }

  @Test(arguments: Mistake.all)
  func `are one sentence without a period`(_ mistake: Mistake) {
    #expect(!mistake.message.hasSuffix("."))
    #expect(!mistake.message.contains("\n"))
  }

  @Test(arguments: [
    "@Model class Trip { @Transient @Clamped(0) var a = 1 }",
    "@Model class Trip { @Transient weak var a: Trip? }",
    "@Model class Trip { @Transient var (a, b) = (1, 2) }",
    "@Model class Trip { @Transient var a = 1, b: Int? }",
    "@Model class Trip { static let a = 1; @Transient lazy var b = 2; var c: Int { 3 } }",
    "@Model class Trip { let a: Int, b: Int; init() { a = 1; b = 2 } }",
    "@Model class Trip { @MainActor var a = 1; @available(*, deprecated) var b = 2 }",
    "@Model class Trip { static var modelContext = 1; var _a = 2 }",
    "@Model class Trip { @RemoteKey(\"d\") var text = \"\"; @Tracked.Field public var b: Int? }",
    "@Model class Trip { var isDeleted = false; var hasChanges = 1; var modelContext = 1 }",
    "@Model class Trip: Titled { var a = 1; convenience init(b: Int) { self.init() }; init() {} }",
    "@Model class Trip: NSObject { var a = 1; override init() { super.init() } }",
    "// The superclass is a model.\n@Model class Sub: Trip { override init() { super.init() } }",
    "@ModelActor actor A {}",
  ])
  func `accept valid declarations`(_ source: String) {
    #expect(PlayedCompiler(text: source).diagnostics.map(\.message) == [])
  }

  @Test func `of a type that is not Codable name property and type at the declaration`() throws {
    let source = "@Model class Trip {\n  var a = 1\n\n  @Attribute\n  var color: [Color\n    ]\n}"
    let expansion = PlayedCompiler(text: source).transcript
    #expect(
      expansion.contains(
        """
          func _color(_: ModelLayer._Storable) {}
          @available(*, unavailable, message: "the type [Color ] of 'color' is neither Codable nor \
        a model; make the type Codable, or mark the property @Transient")
          func _color(_: ModelLayer._Unstorable) {}
          #sourceLocation(file: "Fixture.swift", line: 5)
          ModelLayer._register(([Color
            ]).self, _color)
          #sourceLocation()
        """
      )
    )
  }

  @Test func `warn of a lazy property, which is not saved`() throws {
    let source = "@Model class Trip { @X private lazy var a = 1; init() {} }"
    let found = PlayedCompiler(text: source).diagnostics
    #expect(
      found.map(\.message) == [
        "'a' is not saved because it is lazy; mark it @Transient, or make it a stored or a computed "
          + "property"
      ]
    )
    #expect(found.map(\.severity) == ["warning"])
    let range = try #require(source.firstRange(of: "lazy"))
    #expect(
      found.first?.position.offset
        == source.utf8.distance(from: source.startIndex, to: range.lowerBound)
    )
  }

  @Test func `offer to split several properties on a line`() throws {
    let source = "@Model class Trip { @X private(set) var a = 1, b: Int? = 2 }"
    let found = PlayedCompiler(text: source.replacing("@X ", with: "")).diagnostics
    let change = try #require(found.first?.fixIts.first?.changes.first)
    #expect(change.newText == "a = 1\nprivate(set) var b: Int? = 2")
    #expect(change.range.endOffset - change.range.startOffset == "a = 1, b: Int? = 2".utf8.count)
  }

  @Test func `offer two fixes for a let with an initial value`() throws {
    let source = "@Model class Trip { let a = 1 }"
    let fixIts = try #require(PlayedCompiler(text: source).diagnostics.first?.fixIts)
    #expect(fixIts.map(\.message) == ["use private(set) var", "use var"])
    let changes = fixIts.flatMap(\.changes)
    #expect(changes.map(\.newText) == ["private(set) var", "var"])
    #expect(changes.map(\.range.startOffset) == [20, 20])
    #expect(changes.map(\.range.endOffset) == [23, 23])
  }

  @Test func `allow a let with an initial value only in the Swift 5 mode`() {
    let source = "@Model class Trip { let a = 1 }"
    #expect(PlayedCompiler(text: source, languageMode: 5).diagnostics.isEmpty)
    #expect(PlayedCompiler(text: source, languageMode: 6).diagnostics.count == 1)
  }
}
