import ModelLayer
import Testing

@testable import ModelMacroExpansion

/// A property has an init accessor only if code may need it: the compiler's check of initializers
/// takes time with the cube of their number.
@Suite("Initial values")
struct InitialValueTests {
  private func startsWithValue(_ source: String) throws -> Bool {
    let declaration = try #require(DeclarationReader.type(in: SourceText(source)))
    let model = ModelDescription(declaration)
    return model.startsWithValue(try #require(model.properties.first))
  }

  @Test(arguments: [
    "@Model class Trip { var a = 1 }", "@Model class Trip { var a: Int? }",
    "@Model class Trip { var a: String? = nil; init() {} }",
    "@Model final class Trip: Base { var a: Double = -1; override init(b: Int) { c = b } }",
    "@MainActor @available(macOS 15, *) @Model class Trip { #Index<Trip>([\\.a]); var a = \"x\" }",
  ])
  func `are in the storage if no initializer names the property`(_ source: String) throws {
    #expect(try startsWithValue(source))
  }

  @Test(arguments: [
    // An initializer sets the property, or may.
    "@Model class Trip { var a = 1; init() { a = 2 } }",
    "@Model class Trip { var a = 1; init() { self.`a` = 2 } }",
    "@Model class Trip { var a: Int?; #if DEBUG\ninit() { (a, b) = (1, 2) }\n#endif\n}",
    "@Model class Trip { var a = 1; init() { (b, a) = (1, 2) } }",
    "@Model class Trip { var a = 1; convenience init(x: Int) { self.init(); a = x } }",
    // A macro may add one, or statements to one.
    "@Memberwise @Model class Trip { var a = 1 }", "@Model class Trip { var a = 1; #initializer }",
    "@Model class Trip { var a = 1; @Traced init() {} }",
    // The value may be isolated, or is none.
    "@Model class Trip { var a: Int = Palette.count }",
    "@Model class Trip { var a = \"\\(Palette.count)\" }",
    "@Model class Trip { var a: Int; init(_ x: Int) {} }",
    // Observers and other storage.
    "@Model class Trip { var a = 1 { didSet {} } }", "@Model class Trip { var a: [Int]? }",
  ])
  func `need an init accessor otherwise`(_ source: String) throws {
    #expect(try !startsWithValue(source))
  }

  @Test func `are those of new objects, until code after the initializer sets the properties`() {
    let preset = Preset(name: "a")
    #expect(preset.count == 1 && preset.letter == "k" && preset.isOn && preset.size == 1.5)
    #expect(preset.note == nil && preset.rank == nil && preset.limit == 7 && preset.steps == 0)
    let other = Preset(count: 5)
    #expect(other.count == 5 && other.note == "five" && other.name == "b" && other.steps == 1)
    #expect(Preset(name: "c").count == 1)
    let sub = SubPreset()
    #expect(sub.size == 4 && sub.extra == "e" && sub.count == 1)
  }
}

@Model
class Preset {
  var name: String
  var count = 1
  var letter: Character = "k"
  var isOn: Bool = true
  var size: Double = 1.5
  var note: String?
  var rank: Int? = nil
  var limit: Int? = 7
  var steps = 0 { didSet { note = "five" } }

  init(name: String) { self.name = name }
}

extension Preset {
  // Not seen by the macro: it sets the properties by their setters.
  convenience init(count: Int) {
    self.init(name: "b")
    self.count = count
    steps = 1
  }
}

@Model
final class SubPreset: Preset {
  var extra = "e"

  init() {
    super.init(name: "sub")
    size = 4
  }
}
