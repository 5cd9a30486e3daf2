import Testing

@testable import ModelMacroExpansion

@Suite("Storage")
struct StorageTests {
  private func storage(_ source: String) throws -> Storage {
    let property = try #require(DeclarationReader.property(in: SourceText(source)))
    let binding = try #require(property.bindings.first)
    return Storage(type: binding.type, initialValue: binding.initialValue)
  }

  @Test(arguments: [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Bool", "String", "Date", "Data", "UUID", "URL", "Decimal", "Character",
    "Int?", "Swift.Int", "Foundation.Date?", "(Int)", "((Int)?)", "Optional<Int>",
    "Swift.Optional<Foundation.URL>",
  ])
  func `of a type that stores read directly is plain`(_ type: String) throws {
    #expect(try storage("var a: \(type)") == .plain(type: type))
  }

  @Test(arguments: ["[Int]", "Kind", "Int??", "(Int) -> (Int)", "(Int, Int)", "My.Int", "any P"])
  func `of any other type is a slot`(_ type: String) throws {
    #expect(try storage("var a: \(type)") == .slot(type: type))
  }

  @Test(arguments: [
    ("1", "Int"), ("-1", "Int"), ("1.0", "Double"), ("-0x1p1", "Double"), ("\"\"", "String"),
    ("#\"a\"#", "String"), ("\"\\(a)\"", "String"), ("true", "Bool"), ("false", "Bool"),
  ])
  func `has the type of a literal`(_ value: String, type: String) throws {
    #expect(try storage("var a = \(value)") == .plain(type: "ModelLayer._Names.\(type)"))
  }

  @Test(arguments: [
    "1 + 1", "[1]", "nil", "f()", "-a", "\"a\" + \"b\"", "- -1", "1.b", "true && b",
  ])
  func `leaves the type of other values to the compiler`(_ value: String) throws {
    #expect(try storage("var a = \(value)") == .slot(type: nil))
  }

  @Test func `converts an implicitly unwrapped type to an optional`() throws {
    #expect(try storage("var a: Int!") == .plain(type: "Int?"))
    #expect(try storage("var a: Kind!") == .slot(type: "Kind?"))
  }
}
