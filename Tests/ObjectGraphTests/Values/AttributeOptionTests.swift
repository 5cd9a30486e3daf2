import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Attribute options")
struct AttributeOptionTests {
  private func saveBefore(_ store: EveryStore) throws -> ContainerFixture {
    let fixture = try ContainerFixture(store, for: Before.Item.self)
    let context = try fixture.context()
    context.insert(Before.Item("kept", .blue, Before.Size(width: 3)))
    try context.save()
    return fixture
  }

  @Test(arguments: [EveryStore.json, .sqlite])
  func `a renamed attribute keeps its values`(store: EveryStore) throws {
    let fixture = try saveBefore(store)
    let later = try ModelContext(fixture.open(for: After.Item.self))
    let item = try #require(try later.all(After.Item.self).first)
    #expect(item.title == "kept" && item.tint == .blue && item.extent == After.Size(width: 3))
    #expect(item.added == "new" && item.moment == nil)
    item.title = "changed"
    try later.save()
    let found = try ModelContext(fixture.open(for: After.Item.self)).fetch(
      FetchDescriptor<After.Item>(predicate: #Predicate { $0.title == "changed" })
    )
    #expect(found.count == 1)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a codable value is read back unchanged`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Opaque.self)
    let context = try fixture.context()
    let row = Opaque()
    row.content = ["a": [1, 2]]
    row.name = "n"
    context.insert(row)
    try context.save()
    let back = try #require(try fixture.context().all(Opaque.self).first)
    #expect(back.content == ["a": [1, 2]] && back.name == "n")
  }

  @Test func `a value transformer is refused with its entity and property`() {
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ContainerFixture(.memory, for: Transformed.self).open()
    }
    #expect(error?.entity == "Transformed" && error?.property == "colour")
    let advice = "remove the option .transformable and make the property's type Codable"
    #expect(error?.message.contains(advice) == true)
  }

  @Test(arguments: EveryStore.allCases)
  func `a character set is refused with its entity and property`(store: EveryStore) {
    for (model, property) in [(CharacterRule.self, "allowed"), (OptionalRule.self, "denied")]
      as [(any PersistentModel.Type, String)]
    {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ContainerFixture(store, [model]).open()
      }
      #expect(error?.entity == Schema([model]).entities.first?.name)
      #expect(error?.property == property)
      #expect(error?.message.contains("store a String with the characters") == true)
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `transient values are reset to their defaults, and constants are read from the store`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: Lasting.self)
    let context = try fixture.context()
    let row = Lasting(code: 5, tags: ["x"])
    row.scratch = 9
    context.insert(row)
    try context.save()
    let back = try #require(try fixture.context().all(Lasting.self).first)
    #expect(back.code == 5 && back.tags == ["x"] && back.maybe == nil)
    #expect(back.scratch == 1 && row.scratch == 9)
  }
}

extension ContainerFixture {
  /// Opens the store with other models than those that it was created for.
  fileprivate func open(for models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), store: kind.url(in: folder))
  }
}

private enum Before {
  enum Tint: String, Codable { case red, blue }
  struct Size: Codable, Equatable { var width: Int }

  @Model
  final class Item {
    var name: String
    var colour: Tint
    var size: Size

    init(_ name: String, _ colour: Tint, _ size: Size) {
      self.name = name
      self.colour = colour
      self.size = size
    }
  }
}

private enum After {
  enum Tint: String, Codable { case red, blue }
  struct Size: Codable, Equatable { var width: Int }

  @Model
  final class Item {
    @Attribute(originalName: "name") var title: String
    @Attribute(originalName: "colour") var tint: Tint
    @Attribute(originalName: "size") var extent: Size
    var added = "new"
    var moment: Date?

    init(_ title: String, _ tint: Tint, _ extent: Size) {
      self.title = title
      self.tint = tint
      self.extent = extent
    }
  }
}

@Model
private final class Opaque {
  @Attribute(.codable) var content: [String: [Int]] = [:]
  @Attribute(.codable) var name: String = ""

  init() {}
}

@Model
private final class Transformed {
  @Attribute(.transformable(by: "ColourTransformer")) var colour: [Double] = []

  init() {}
}

@Model
private final class Lasting {
  let code: Int
  let tags: [String]
  let maybe: Int?
  @Transient var scratch = 1

  init(code: Int, tags: [String]) {
    self.code = code
    self.tags = tags
    maybe = nil
  }
}

@Model
private final class CharacterRule {
  var allowed: CharacterSet

  init() { allowed = [] }
}

@Model
private final class OptionalRule {
  var denied: CharacterSet?

  init() {}
}
