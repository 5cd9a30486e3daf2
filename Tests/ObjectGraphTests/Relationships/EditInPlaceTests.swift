import Foundation
import Observation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Model private final class Brigade {
  @Relationship(inverse: \Recruit.crew) var sailors: [Recruit] = []
  @Relationship(inverse: \Recruit.guests) var hosts: [Recruit]?
  @Relationship(deleteRule: .cascade) var anchors: [Anchor] = []
  var notes: [String] = []
  var ages: [String: Int] = [:]
  var ranks: Set<Int>? = [1]
  var name = "crew"

  init() {}
}

@Model private final class Recruit {
  var number: Int
  var crew: Brigade?
  var guests: [Brigade] = []

  init(_ number: Int) { self.number = number }
}

@Model private final class Anchor {
  var weight: Int

  init(_ weight: Int) { self.weight = weight }
}

/// A crew with enough sailors that an edit uses a second array.
@Suite("An edit of a collection in place")
struct EditInPlaceTests {
  private let fixtures = ContainerFixtures()
  private let sailors = (0..<60).map { Recruit($0) }

  private func context(_ store: EveryStore = .memory) throws -> ModelContext {
    let container = try fixtures.open(store, for: Brigade.self, Recruit.self, Anchor.self)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// Returns a stored crew of forty sailors, whose relationships another context wrote.
  private func stored(_ store: EveryStore) throws -> (ModelContext, Brigade) {
    let writer = try context(store)
    let crew = Brigade()
    writer.insert(crew)
    crew.sailors = Array(sailors[..<40])
    crew.hosts = Array(sailors[20..<40])
    crew.anchors = (0..<20).map { Anchor($0) }
    crew.notes = ["a", "b"]
    crew.ages = ["a": 1]
    try writer.save()
    let context = ModelContext(writer.container)
    context.autosaveEnabled = false
    return (context, try #require(try context.fetch(FetchDescriptor<Brigade>()).first))
  }

  @Test(arguments: EveryStore.allCases)
  func `loads what is edited, and is saved`(store: EveryStore) throws {
    let (context, crew) = try stored(store)
    let new = Recruit(50)
    crew.sailors.append(new)
    crew.sailors.removeFirst()
    crew.hosts?.removeLast()
    crew.hosts?.insert(new, at: 0)
    crew.notes.append("c")
    crew.ages["b"] = 2
    crew.ranks?.insert(2)
    #expect(new.crew === crew && new.guests.first === crew && new.modelContext === context)
    #expect(context.hasChanges && context.changedModelsArray.contains { $0 === crew })
    try context.save()
    let other = ModelContext(context.container)
    let read = try #require(try other.fetch(FetchDescriptor<Brigade>()).first)
    #expect(read.sailors.map(\.number) == Array(1..<40) + [50])
    #expect(read.hosts.map { Set($0.map(\.number)) } == Set(20..<39).union([50]))
    #expect(
      read.notes == ["a", "b", "c"] && read.ages == ["a": 1, "b": 2] && read.ranks == [1, 2]
    )
  }

  @Test(arguments: EveryStore.allCases)
  func `is rolled back`(store: EveryStore) throws {
    let (context, crew) = try stored(store)
    let first = try #require(crew.sailors.first)
    let new = Recruit(50)
    for _ in 0..<3 { crew.sailors.removeFirst() }
    crew.sailors.append(new)
    crew.hosts?.removeAll()
    crew.notes.removeAll()
    crew.ages["a"] = nil
    crew.ranks?.insert(2)
    context.rollback()
    #expect(crew.sailors.map(\.number) == Array(0..<40) && crew.hosts?.count == 20)
    #expect(first.crew === crew && new.crew == nil && new.modelContext == nil)
    #expect(crew.notes == ["a", "b"] && crew.ages == ["a": 1] && crew.ranks == [1])
    #expect(!context.hasChanges && context.changedModelsArray.isEmpty)
    crew.sailors.append(Recruit(51))
    #expect(crew.sailors.map(\.number) == Array(0..<40) + [51])
  }

  @MainActor
  @Test func `is undone and redone`() throws {
    let (context, crew) = try stored(.memory)
    let manager = UndoManager()
    context.undoManager = manager
    let last = try #require(crew.sailors.last)
    crew.sailors.removeLast()
    crew.notes.append("c")
    context.processPendingChanges()
    crew.sailors.append(Recruit(50))
    crew.ages["b"] = 2
    context.processPendingChanges()
    manager.undo()
    #expect(crew.sailors.map(\.number) == Array(0..<39) && crew.ages == ["a": 1])
    manager.undo()
    #expect(crew.sailors.map(\.number) == Array(0..<40) && last.crew === crew)
    #expect(crew.notes == ["a", "b"] && !context.hasChanges)
    manager.redo()
    #expect(crew.sailors.map(\.number) == Array(0..<39) && crew.notes == ["a", "b", "c"])
  }

  @Test func `follows delete rules`() throws {
    let (context, crew) = try stored(.memory)
    let removed = crew.anchors.removeLast()
    crew.anchors.append(Anchor(50))
    let left = crew.sailors.removeLast()
    context.delete(crew)
    try context.save()
    #expect(left.crew == nil && left.modelContext === context)
    #expect(try context.fetch(FetchDescriptor<Anchor>()).map(\.weight) == [removed.weight])
    #expect(try context.fetchCount(FetchDescriptor<Recruit>()) == 40)
  }
}

/// Code that runs within an edit.
extension EditInPlaceTests {
  @Test(arguments: [false, true])
  func `is observed like an assignment`(isStored: Bool) throws {
    let (_, stored) = try stored(.memory)
    let crew = isStored ? stored : Brigade()
    let seen = Mutex<[Int]>([])
    func observe(_ value: @escaping @Sendable () -> Int) {
      withObservationTracking {
        _ = value()
      } onChange: {
        // The property is read within its own change, and still has its old value.
        let count = value()
        seen.withLock { $0.append(count) }
      }
    }
    nonisolated(unsafe) let observed = crew
    let before = (crew.sailors.count, crew.notes.count, crew.ages.count)
    observe { observed.sailors.count }
    observe { observed.notes.count }
    observe { observed.ages.count }
    observe { observed.name.count }
    crew.sailors.append(Recruit(50))
    crew.notes.append("c")
    crew.ages["z"] = 26
    #expect(seen.withLock { $0 } == [before.0, before.1, before.2])
    observe { observed.sailors.count }
    let sailor = Recruit(51)
    sailor.crew = crew
    #expect(seen.withLock { $0.count } == 4)
    #expect(crew.sailors.count == before.0 + 2)
  }

  @Test func `notifies observers of the other ends`() throws {
    let (_, crew) = try stored(.memory)
    nonisolated(unsafe) let last = try #require(crew.sailors.last)
    nonisolated(unsafe) let observed = crew
    let count = Mutex<[Int]>([])
    withObservationTracking {
      _ = last.crew
    } onChange: {
      // Within the edit of the list: the new list is read.
      count.withLock { $0.append(observed.sailors.count) }
    }
    crew.sailors.removeLast()
    #expect(count.withLock { $0 } == [39])
  }

  @Test(arguments: [EveryStore.memory, .sqlite, .json])
  func `reads the relationship as it was before, and other properties`(store: EveryStore) throws {
    let (context, crew) = try stored(store)
    var seen: [Int] = []
    crew.sailors.removeAll { sailor in
      seen.append(crew.sailors.count + crew.anchors.count + crew.notes.count)
      return sailor.number > 4 && sailor.crew === crew
    }
    #expect(seen == Array(repeating: 62, count: 40))
    #expect(crew.sailors.map(\.number) == Array(0..<5))
    try context.save()
    #expect(
      try context.fetchCount(FetchDescriptor<Recruit>(predicate: #Predicate { $0.crew == nil }))
        == 35
    )
  }

  /// Few elements are copied, many are in a second array.
  @Test(arguments: [3, 60])
  func `reads an attribute as it was before`(count: Int) throws {
    let (context, crew) = try stored(.memory)
    let notes = (0..<count).map { "note \($0)" }
    crew.notes = notes
    // The second edit uses what the first one left.
    crew.notes.append("last")
    var seen: Set<[String]> = []
    crew.notes.removeAll { note in
      seen.insert(crew.notes)
      return crew.notes.contains(note) && note != "last"
    }
    #expect(seen == [notes + ["last"]] && crew.notes == ["last"])
    crew.notes = notes
    crew.notes.sort { crew.notes.firstIndex(of: $0) ?? -1 > crew.notes.firstIndex(of: $1) ?? -1 }
    #expect(crew.notes == notes.reversed())
    crew.ages["b", default: crew.ages.count] += crew.ages.count
    crew.ranks?.formUnion([2, 3].lazy.filter { crew.ranks?.contains($0) == false })
    #expect(crew.ages == ["a": 1, "b": 2] && crew.ranks == [1, 2, 3])
    try context.save()
    let read = try ModelContext(context.container).fetch(FetchDescriptor<Brigade>())
    #expect(read.map(\.notes) == [notes.reversed()])
  }

  @Test func `of an attribute keeps what is assigned within it, until it ends`() throws {
    let (_, crew) = try stored(.memory)
    crew.notes = (0..<40).map { "\($0)" }
    crew.notes.removeAll { note in
      if note == "5" { crew.notes = ["other"] }
      return crew.notes == ["other"]
    }
    #expect(crew.notes == (0..<5).map { "\($0)" })
  }

  @Test func `of an attribute is repeated after a save`() throws {
    let (context, crew) = try stored(.memory)
    for number in 0..<100 {
      crew.notes.append("\(number)")
      if number.isMultiple(of: 7) { try context.save() }
      if number.isMultiple(of: 11) { context.rollback() }
      if number.isMultiple(of: 13) { crew.notes = crew.notes.reversed() }
      let (before, last) = (crew.notes, crew.notes.popLast())
      #expect(crew.notes == before.dropLast() && last == before.last)
    }
  }

  @Test func `allows changes of the relationship within it`() throws {
    let (_, crew) = try stored(.memory)
    let (second, new) = (crew.sailors[1], Recruit(50))
    crew.sailors.removeAll { sailor in
      if sailor.number == 0 {
        second.crew = nil
        new.crew = crew
      }
      return sailor.number > 20
    }
    #expect(
      Set(crew.sailors.map(\.number)) == Set(crew.sailors.filter { $0.crew === crew }.map(\.number))
    )
    #expect(crew.sailors.contains { $0 === second } == (second.crew === crew))
    #expect(crew.sailors.contains { $0 === new } == (new.crew === crew))
  }

  @Test func `is saved after a save within it`() throws {
    let (context, crew) = try stored(.sqlite)
    func edit(_ notes: inout [String], _ hosts: inout [Recruit]?) throws {
      notes.append("c")
      hosts?.removeLast()
      try context.save()
      notes.append("d")
    }
    try edit(&crew.notes, &crew.hosts)
    #expect(context.hasChanges)
    try context.save()
    let other = ModelContext(context.container)
    let read = try #require(try other.fetch(FetchDescriptor<Brigade>()).first)
    #expect(read.notes == ["a", "b", "c", "d"] && read.hosts?.count == 19)
  }

  @Test func `that throws keeps what was done`() throws {
    struct Stop: Error {}
    let (_, crew) = try stored(.memory)
    func edit(_ sailors: inout [Recruit]) throws {
      sailors.removeLast()
      throw Stop()
    }
    #expect(throws: Stop.self) { try edit(&crew.sailors) }
    #expect(crew.sailors.map(\.number) == Array(0..<39))
  }
}

/// Owners that are in no context, and objects that leave it.
extension EditInPlaceTests {
  @Test func `of an object without a context changes the other ends`() throws {
    let crew = Brigade()
    for sailor in sailors { crew.sailors.append(sailor) }
    for _ in 0..<10 { crew.sailors.removeFirst() }
    crew.sailors.append(sailors[30])
    #expect(crew.sailors.map(\.number) == Array(10..<60))
    #expect(sailors.filter { $0.crew === crew }.map(\.number) == Array(10..<60))
    let context = try context()
    context.insert(sailors[40])
    crew.sailors.append(sailors[0])
    #expect(crew.modelContext === context && sailors[0].modelContext === context)
  }

  @Test func `of a relationship without inverse reaches the context of its objects`() throws {
    let crew = Brigade()
    let anchors = (0..<40).map { Anchor($0) }
    for anchor in anchors[..<30] { crew.anchors.append(anchor) }
    let context = try context()
    context.insert(anchors[3])
    crew.anchors.append(anchors[35])
    #expect(crew.modelContext === context && anchors[35].modelContext === context)
  }

  @Test func `keeps no objects that were removed`() throws {
    let crew = Brigade()
    for number in 0..<40 { crew.anchors.append(Anchor(number)) }
    weak let last = crew.anchors.last
    weak let first = crew.anchors.first
    crew.anchors.removeLast()
    #expect(last == nil)
    crew.anchors = Array(crew.anchors.dropFirst())
    #expect(first == nil)
  }

  @Test func `of a list whose objects left the context`() throws {
    let (context, crew) = try stored(.memory)
    crew.sailors.append(Recruit(50))
    context.rollback()
    let new = Recruit(51)
    crew.sailors.append(new)
    for _ in 0..<41 { _ = crew.sailors.popLast() }
    #expect(crew.sailors.isEmpty && new.crew == nil)
  }
}
