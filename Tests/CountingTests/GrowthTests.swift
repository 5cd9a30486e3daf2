import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model private final class Plain {
  var code: String
  var number: Int

  init(_ number: Int) {
    code = "\(number)"
    self.number = number
  }
}

@Model private final class Unique {
  @Attribute(.unique) var code: String
  var number: Int
  var labels: [String]

  init(_ number: Int) {
    code = "\(number)"
    self.number = number
    labels = ["a", "b"]
  }
}

@Model private final class Folder {
  var name: String
  var parent: Folder?
  @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder] = []

  init(_ number: Int) { name = "\(number)" }
}

/// A store for one measurement.
private struct MeasuredStore {
  private let folder: TemporaryFolder
  let container: ModelContainer

  init(_ kind: EveryStore) throws {
    folder = try TemporaryFolder(inMemory: true)
    container = try Self.container(kind.url(in: folder))
  }

  private static func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(for: Plain.self, Unique.self, Folder.self, store: url)
  }

  func context() -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// Saves objects with the numbers below a count.
  func fill(_ count: Int, _ make: (Int) -> any PersistentModel) throws {
    let context = context()
    for number in 0..<count { context.insert(make(number)) }
    try context.save()
  }

  /// Saves folders, each within the one before.
  func fillChain(_ count: Int) throws {
    let context = context()
    var last: Folder?
    for number in 0..<count {
      let folder = Folder(number)
      folder.parent = last
      context.insert(folder)
      last = folder
    }
    try context.save()
  }

  /// Returns the files of the open store, as a kill of the process leaves them.
  func killed() throws -> (folder: TemporaryFolder, open: () throws -> ModelContainer) {
    let copy = try TemporaryFolder(inMemory: true)
    for name in try folder.names() {
      try FileManager.default.copyItem(at: folder.file(name), to: copy.file(name))
    }
    return (copy, { try Self.container(EveryStore.json.url(in: copy)) })
  }
}

/// The time of a row does not grow with their number: no work looks through what was done before.
@Suite("The time of a row", .serialized)
struct GrowthTests {
  @Test(arguments: EveryStore.allCases)
  func `to insert with a unique value does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 1_000) { count in
      let store = try MeasuredStore(kind)
      return { try store.fill(count) { Unique($0) } }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `to merge into a stored one does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 500) { count in
      let store = try MeasuredStore(kind)
      try store.fill(count) { Unique($0) }
      return { try store.fill(count) { Unique($0) } }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `to merge into another new one does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 500) { count in
      let store = try MeasuredStore(kind)
      return { try store.fill(2 * count) { Unique($0 % count) } }
    }
  }

  @Test(arguments: EveryStore.allCases, [false, true])
  func `to delete does not grow`(kind: EveryStore, isBulk: Bool) throws {
    try Growth.expectLinear(from: 750) { count in
      let store = try MeasuredStore(kind)
      try store.fill(count) { Plain($0) }
      let context = store.context()
      let all = isBulk ? [] : try context.fetch(FetchDescriptor<Plain>())
      return {
        defer { withExtendedLifetime(store) {} }
        all.forEach(context.delete)
        if isBulk { try context.delete(model: Plain.self) }
        try context.save()
      }
    }
  }

  @Test(arguments: EveryStore.allCases, [false, true])
  func `to resolve a conflict does not grow`(kind: EveryStore, contextWins: Bool) throws {
    try Growth.expectLinear(from: 200) { count in
      let store = try MeasuredStore(kind)
      try store.fill(count) { Plain($0) }
      let (other, context) = (store.context(), store.context())
      context.mergePolicy = contextWins ? .contextWins : .storeWins
      for object in try context.fetch(FetchDescriptor<Plain>()) { object.code = "own" }
      for object in try other.fetch(FetchDescriptor<Plain>()) { object.code = "other" }
      try other.save()
      return {
        defer { withExtendedLifetime(store) {} }
        try context.save()
        let code = contextWins ? "own" : "other"
        let kept = try context.fetchCount(
          FetchDescriptor<Plain>(predicate: #Predicate { $0.code == code })
        )
        #expect(kept == count)
      }
    }
  }

  @Test func `to recover from a JSON journal does not grow`() throws {
    try Growth.expectLinear(from: 500) { count in
      let store = try MeasuredStore(.json)
      try store.fill(count) { Plain($0) }
      let killed = try store.killed()
      return {
        defer { withExtendedLifetime(store) {} }
        let context = ModelContext(try killed.open())
        let found = try context.fetchCount(FetchDescriptor<Plain>())
        #expect(found == count)
      }
    }
  }

  @Test func `to recover changes and deletions from a JSON journal does not grow`() throws {
    try Growth.expectLinear(from: 500) { count in
      let store = try MeasuredStore(.json)
      try store.fill(count) { Plain($0) }
      let context = store.context()
      for object in try context.fetch(FetchDescriptor<Plain>()) {
        if object.number.isMultiple(of: 2) { object.code = "new" } else { context.delete(object) }
      }
      try context.save()
      let killed = try store.killed()
      return {
        defer { withExtendedLifetime(store) {} }
        let context = ModelContext(try killed.open())
        let found = try context.fetchCount(FetchDescriptor<Plain>())
        #expect(found == count / 2)
      }
    }
  }
}

/// The same for work with unsaved objects, and with relationships.
@Suite("The time of a step", .serialized)
struct StepGrowthTests {
  @Test(arguments: EveryStore.allCases)
  func `to find or create a plain object does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 100) { count in
      let store = try MeasuredStore(kind)
      let context = store.context()
      return {
        defer { withExtendedLifetime(store) {} }
        for number in 0..<count {
          let code = "\(number / 2)"
          let hasCode = #Predicate<Plain> { $0.code == code }
          let found = try context.fetch(FetchDescriptor(predicate: hasCode))
          #expect(found.count == number % 2)
          if found.isEmpty { context.insert(Plain(number / 2)) }
        }
        try context.save()
      }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `to find or create an object by a unique value does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 100) { count in
      let store = try MeasuredStore(kind)
      let context = store.context()
      return {
        defer { withExtendedLifetime(store) {} }
        for number in 0..<count {
          let code = "\(number / 2)"
          let hasCode = #Predicate<Unique> { $0.code == code }
          let found = try context.fetch(FetchDescriptor(predicate: hasCode))
          #expect(found.count == number % 2)
          if found.isEmpty { context.insert(Unique(number / 2)) }
        }
        try context.save()
      }
    }
  }

  @Test(arguments: EveryStore.allCases, [false, true])
  func `to insert and count does not grow`(kind: EveryStore, isUnique: Bool) throws {
    try Growth.expectLinear(from: 100) { count in
      let store = try MeasuredStore(kind)
      let context = store.context()
      return {
        defer { withExtendedLifetime(store) {} }
        for number in 0..<count {
          if isUnique { context.insert(Unique(number)) } else { context.insert(Plain(number)) }
          let count =
            try isUnique
            ? context.fetchCount(FetchDescriptor<Unique>())
            : context.fetchCount(FetchDescriptor<Plain>())
          #expect(count == number + 1)
        }
      }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `down a chain of objects does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 150) { count in
      let store = try MeasuredStore(kind)
      try store.fillChain(count)
      let context = store.context()
      return {
        defer { withExtendedLifetime(store) {} }
        let root = #Predicate<Folder> { $0.parent == nil }
        var folder = try context.fetch(FetchDescriptor(predicate: root)).first
        var steps = 0
        while let next = folder?.children.first { (folder, steps) = (next, steps + 1) }
        #expect(steps == count - 1)
      }
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `of a cascade down a chain does not grow`(kind: EveryStore) throws {
    try Growth.expectLinear(from: 150) { count in
      let store = try MeasuredStore(kind)
      try store.fillChain(count)
      let context = store.context()
      return {
        defer { withExtendedLifetime(store) {} }
        try context.delete(model: Folder.self, where: #Predicate { $0.parent == nil })
        try context.save()
        let left = try context.fetchCount(FetchDescriptor<Folder>())
        #expect(left == 0)
      }
    }
  }
}
