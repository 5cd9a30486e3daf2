import Foundation
import Observation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite("Ephemeral attributes")
struct EphemeralAttributeTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `ephemeral values are tracked, observed and never stored`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Fleeting.self)
    let context = try fixture.context()
    let row = Fleeting("a")
    (row.count, row.note, row.mood, row.plain) = (5, "unsaved", .loud(3), 8)
    context.insert(row)
    try context.save()
    // The object keeps its values.
    #expect(row.count == 5 && row.note == "unsaved" && row.mood == .loud(3) && row.plain == 8)
    #expect(try context.all(Fleeting.self).first === row)
    #expect(row.count == 5 && row.note == "unsaved" && row.mood == .loud(3) && row.plain == 8)
    let changes = Mutex(0)
    withObservationTracking {
      _ = row.count
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    row.count = 6
    #expect(changes.withLock(\.self) == 1)
    #expect(row.hasChanges && context.hasChanges)
    context.rollback()
    #expect(row.count == 5)
    row.count = 7
    try context.save()
    #expect(row.count == 7 && !context.hasChanges)
    let back = try #require(try fixture.context().all(Fleeting.self).first)
    #expect(back.name == "a" && back.count == 1 && back.note == nil && back.mood == .calm)
    #expect(back.plain == 0)
    back.name = "b"
    try back.modelContext?.save()
    _ = try context.all(Fleeting.self)
    #expect(row.name == "b" && row.count == 7)
  }

  @Test func `a change of ephemeral values alone does not update the row`() throws {
    let script = RecordingScript()
    let container = try ModelContainer(
      for: Schema(Fleeting.self),
      configurations: RecordingStoreConfiguration(script: script)
    )
    let context = ModelContext(container)
    let row = Fleeting("a")
    context.insert(row)
    try context.save()
    for case .apply(let changes) in script.calls {
      #expect(changes.inserted.map(\.names.names) == [["name"]])
    }
    script.forgetCalls()
    row.count = 9
    row.mood = .loud(1)
    try context.save()
    for case .apply(let changes) in script.calls { #expect(changes.updated.isEmpty) }
    #expect(row.count == 9 && !context.hasChanges)
    row.name = "b"
    row.count = 10
    try context.save()
    guard case .apply(let changes)? = script.calls.last else {
      Issue.record("a save was expected")
      return
    }
    #expect(changes.updated.map { $0.changes.map(\.index) } == [[0]])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a subclass has its own and inherited ephemeral values`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Postcard.self)
    let context = try fixture.context()
    let card = Postcard("a", to: "b")
    (card.draft, card.isOpen, card.noise) = ("x", true, .loud(2))
    context.insert(card)
    try context.save()
    (card.draft, card.isOpen, card.noise, card.address) = ("y", false, .calm, "c")
    context.rollback()
    #expect(card.draft == "x" && card.isOpen && card.noise == .loud(2))
    #expect(card.address == "b" && card.size == 1)
    (card.size, card.address, card.noise) = (5, "d", .loud(3))
    try context.save()
    let back = try #require(try fixture.context().all(Note.self).first as? Postcard)
    #expect(back.name == "a" && back.size == 5 && back.address == "d")
    #expect(back.draft == "new" && !back.isOpen && back.noise == .calm && back.mark == true)
    back.address = "e"
    try back.modelContext?.save()
    _ = try context.all(Postcard.self)
    #expect(card.address == "e" && card.draft == "x" && card.isOpen)
    #expect(card.noise == .loud(3))
  }

  @Test func `a refresh below unsaved changes keeps ephemeral values and their originals`() throws {
    let fixture = try ContainerFixture(.memory, for: Postcard.self)
    let context = try fixture.context()
    let card = Postcard("a", to: "b")
    card.draft = "x"
    context.insert(card)
    try context.save()
    card.draft = "y"
    try context.refresh(card)
    #expect(card.draft == "y" && card.address == "b")
    context.rollback()
    #expect(card.draft == "x")
  }

  @Test func `snapshots contain ephemeral values of a subclass`() throws {
    let context = try ContainerFixture(.memory, for: Postcard.self).context()
    let card = Postcard("a", to: "b")
    (card.draft, card.noise) = ("x", .loud(2))
    context.insert(card)
    try context.save()
    var copy = try card.snapshot()
    #expect(copy.draft == "x" && copy.noise == .loud(2) && copy.address == "b")
    copy.draft = "b"
    #expect(try context.upsert(copy) === card)
    #expect(card.draft == "b" && card.noise == .loud(2) && card.address == "b")
    let new = try context.upsert(Postcard("c", to: "d").snapshot())
    #expect(new !== card && new.draft == "new" && new.address == "d")
  }

  @Test func `no query names one`() throws {
    let context = try ContainerFixture(.memory, for: Postcard.self).context()
    context.insert(Postcard("a", to: "b"))
    try context.save()
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.draft == "new" }))
    }
    #expect(error?.message.contains("an ephemeral attribute") == true)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Postcard>(predicate: #Predicate { $0.draft == "new" }))
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Postcard>(sortBy: [SortDescriptor(\.draft)]))
    }
    var descriptor = FetchDescriptor<Postcard>()
    descriptor.propertiesToFetch = [\.name, \.draft]
    #expect(try context.fetch(descriptor).map(\.draft) == ["new"])
    #expect(try context.update(model: Postcard.self, set: .set(\.draft, to: "old")) == 1)
    #expect(try context.all(Postcard.self).map(\.draft) == ["old"])
  }

  @Test func `one that is added or removed changes no stored schema`() throws {
    let (plain, marked) = (Schema(Plain.Item.self), Schema(Marked.Item.self))
    #expect(plain == marked && plain.storeSchema.fingerprint == marked.storeSchema.fingerprint)
    #expect(marked.storeSchema.entities[0].uniquenessConstraints == [["name"]])
    #expect(marked.storeSchema.entities[0].indices.isEmpty)
    let options = marked.entities[0].attributesByName["mark"]?.options
    #expect(options == [.ephemeral, .unique])
    let card = Schema(Postcard.self).entitiesByName["Postcard"]
    #expect(card?.inheritedPropertiesByName.keys.sorted() == ["draft", "name", "size"])
    #expect(card?.storedPropertiesByName.keys.sorted() == ["address", "isOpen", "mark", "noise"])
  }

  @Test func `one that the macro cannot tell is refused`() {
    for (model, name) in [(Hidden.self, "Hidden"), (Related.self, "Related")]
      as [(any PersistentModel.Type, String)]
    {
      let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ContainerFixture(.memory, [model]).open()
      }
      #expect(error?.entity == name && error?.property == "note")
      #expect(error?.message.contains("in the @Attribute of the property itself") == true)
    }
  }
}

private enum Noise: Codable, Equatable { case calm, loud(Int) }

@Model
private final class Fleeting {
  var name: String
  @Attribute(.ephemeral) var count = 1
  @Attribute(.ephemeral) var note: String?
  @Attribute(.ephemeral) var mood: Noise = Noise.calm
  @Attribute(.ephemeral) var plain: Int

  init(_ name: String) {
    self.name = name
    plain = 4
  }
}

@Model
private class Note {
  var name: String
  @Attribute(.ephemeral) var draft = "new"
  var size = 1

  init(_ name: String) { self.name = name }
}

@Model
private final class Postcard: Note {
  @Attribute(.ephemeral) var isOpen = false
  var address: String
  @Attribute(.ephemeral) var noise: Noise = Noise.calm
  @Attribute(.ephemeral) var mark: Bool? = true

  init(_ name: String, to address: String) {
    self.address = address
    super.init(name)
  }
}

private enum Plain {
  @Model
  final class Item {
    @Attribute(.unique) var name = ""

    init() {}
  }
}

private enum Marked {
  @Model
  final class Item {
    #Index<Item>([\.name, \.mark])
    #Unique<Item>([\.name, \.mark])

    @Attribute(.ephemeral, .unique) var mark = 0
    @Attribute(.unique) var name = ""

    init() {}
  }
}

private let hidden = Schema.Attribute.Option.ephemeral

@Model
private final class Hidden {
  @Attribute(hidden) var note = ""

  init() {}
}

@Model
private final class Related {
  @Attribute(.ephemeral) var note: Plain.Item?

  init() {}
}
