import Testing

@testable import ModelMacroExpansion

@Suite("DeclarationReader")
struct DeclarationReaderTests {
  private func type(_ source: String) throws -> TypeDeclaration {
    try #require(DeclarationReader.type(in: SourceText(source)))
  }

  private func property(_ source: String) throws -> PropertyDeclaration {
    try #require(DeclarationReader.property(in: SourceText(source)))
  }

  /// Returns the names of the properties of a class with this body.
  private func names(inBody body: String) throws -> [String] {
    try type("class C {\n\(body)\n}").members.all.flatMap { member -> [String] in
      if case .property(let property) = member { property.bindings.compactMap(\.name) } else { [] }
    }
  }

  @Test func `reads the head of a class`() throws {
    let read = try type(
      "/* a */ @A(x) @B.C public final class `D`<T: P<Int>>: E<[T]>, F where T: G { var a = 1 }"
    )
    #expect(read.attributes.map(\.name) == ["A", "B.C"])
    #expect(read.attributes.map(\.arguments) == ["x", nil])
    #expect(read.modifiers.map(\.name) == ["public", "final"])
    #expect(read.keyword == "class")
    #expect(read.name == "`D`")
    #expect(read.isGeneric)
    #expect(read.inheritedTypes == ["E<[T]>", "F"])
    #expect(read.members.all.count == 1)
  }

  @Test(arguments: ["struct", "enum", "actor", "protocol", "extension", "class"])
  func `reads every kind of type`(_ keyword: String) throws {
    let read = try type("\(keyword) A: B {}")
    #expect(read.keyword == keyword)
    #expect(read.inheritedTypes == ["B"])
  }

  @Test func `reads extensions of nested types`() throws {
    let read = try type("extension A.B.C: D {}")
    #expect(read.inheritedTypes == ["D"])
  }

  @Test func `counts offsets in UTF-8 bytes`() throws {
    let read = try type("// é\nclass Größe {}")
    #expect(read.keywordOffset == 6)
    #expect(read.nameOffset == 12)
  }

  private static let bindings: [(source: String, type: String?, value: String?)] = [
    ("var a: Int", "Int", nil),
    ("var a: [String: (Int, B) -> C]? = nil", "[String: (Int, B) -> C]?", "nil"),
    ("var a: A<B, C<D>> = .init()", "A<B, C<D>>", ".init()"),
    ("var a: Int? { didSet {} }", "Int?", nil),
    ("var a: any P & Q = x { willSet {} }", "any P & Q", "x"), ("var a = b", nil, "b"),
    ("var a = A<B, C>(d)", nil, "A<B, C>(d)"), ("var a = b { $0 } { didSet {} }", nil, "b { $0 }"),
    ("var a = b < c", nil, "b < c"), ("var a: Int = -1 // c", "Int", "-1"),
    ("var a\n  : Int\n  = 3", "Int", "3"), ("var a = b ? c : d", nil, "b ? c : d"),
    ("var a = if b { 1 } else if c { 2 } else { 3 }", nil, "if b { 1 } else if c { 2 } else { 3 }"),
    ("var a = b\n  .c { }\n  + d", nil, "b\n  .c { }\n  + d"),
    ("var a: () -> Void = { }", "() -> Void", "{ }"), ("var a = 2...", nil, "2..."),
    ("var a:\n  @Sendable () ->\n  Void", "@Sendable () ->\n  Void", nil),
    ("var a =\n  #file", nil, "#file"), ("var a = try\n  #file", nil, "try\n  #file"),
  ]

  @Test(arguments: bindings)
  func `separates type and value`(_ source: String, type: String?, value: String?) throws {
    let binding = try #require(try property(source).bindings.first)
    #expect(binding.name == "a")
    #expect(binding.type == type)
    #expect(binding.initialValue?.text == value)
  }

  @Test(arguments: [
    "var a: Int { 1 }", "var a: Int { get { 1 } set {} }", "var a: Int { get async throws { 1 } }",
    "var a: Int { @inlinable get { 1 } }", "var a: Int { _read { yield b } }",
    "var a: Int {\n  didSet.count\n}", "var a: Int { mutating get { 1 } }",
  ])
  func `recognizes computed properties`(_ source: String) throws {
    #expect(try property(source).bindings.first?.accessors == .computed)
  }

  @Test func `reads property observers with their names and bodies`() throws {
    let read = try property("var a = 1 { willSet(new) { f(new) } didSet { g { } } }")
    let observers = [
      PropertyObserver(kind: "willSet", parameter: "new", body: " f(new) "),
      PropertyObserver(kind: "didSet", parameter: nil, body: " g { } "),
    ]
    #expect(read.bindings.first?.accessors == .observers(observers))
  }

  @Test func `reads several bindings of one declaration`() throws {
    let read = try property("let a: Int, b = f(1, 2), (c, d): (Int, Int), e: A<B, C>")
    #expect(read.bindings.map(\.name) == ["a", "b", nil, "e"])
    #expect(read.isLet)
  }

  @Test func `keeps the details of modifiers`() throws {
    let read = try property("public private(set) nonisolated(unsafe) final var a = 1")
    #expect(read.modifiers.map(\.name) == ["public", "private", "nonisolated", "final"])
    #expect(read.modifiers.map(\.detail) == [nil, "set", "unsafe", nil])
  }

  @Test(arguments: [
    "func f() -> Int { var no = 1 }\nvar a = 1", "func f() where T: P\n{ var no = 1 }; var a = 1",
    "init?() { let no = 1 }\nvar a = 1", "subscript(i: Int = { 1 }()) -> Int { 1 }\nvar a = 1",
    "enum E { case x; var no: Int { 1 } }\nvar a = 1", "typealias T = Int\nvar a = 1",
    "#warning(\"var no\")\nvar a = 1", "@Macro func bodiless()\nvar a = 1",
    "#Unique<C>([\\.x]) { var no = 1 }\nvar a = 1", "class var no2 { 1 }\nvar a = 1",
    "/* var no */ var a = 1 // var no", "deinit { }\n@A @B(1)\nvar a = 1",
  ])
  func `skips other members`(_ body: String) throws {
    #expect(try names(inBody: body).filter { $0 != "no2" } == ["a"])
  }

  @Test func `keeps the branches of conditions`() throws {
    let read = try type(
      "class C {\n#if A && (B ||\n C)\nvar a = 1\n#else\nvar b = 1\n#endif\nvar c = 1 }"
    )
    guard case .conditional(let branches) = try #require(read.members.items.first) else {
      Issue.record("no condition")
      return
    }
    #expect(branches.map(\.condition) == ["#if A && (B ||\n C)", "#else"])
    #expect(branches.map(\.content.all.count) == [1, 1])
    #expect(read.members.all.count == 3)
  }

  @Test func `keeps the arguments of macros unchanged`() throws {
    let read = try type("class C { #Index<C>([\\.a, \\.b], [\\.c]) }")
    guard case .expansion(let expansion) = try #require(read.members.all.first) else {
      Issue.record("no macro")
      return
    }
    #expect(expansion.name == "Index")
    #expect(expansion.genericArguments == "C")
    #expect(expansion.arguments == "[\\.a, \\.b], [\\.c]")
  }
}
