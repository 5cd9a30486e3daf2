import Foundation
import ModelLayer

extension ModelRules {
  @Sendable static func fetching(_ container: ModelContainer) throws {
    let all = [("a", 3), ("b", 1), ("c", 3), ("d", 2), ("e", 5)]
    try saved(container, all.map { Voyage($0, days: $1) })
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Voyage>(
      predicate: #Predicate { $0.days > 1 && $0.name != "e" },
      sortBy: [SortDescriptor(\.days, order: .reverse), SortDescriptor(\.name)]
    )
    try expect("the voyages", other.fetch(descriptor).map(\.name), equals: ["a", "c", "d"])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 1
    try expect("the window", other.fetch(descriptor).map(\.name), equals: ["c"])
    let nobody = FetchDescriptor<Voyage>(predicate: #Predicate { $0.end != nil })
    try expect("those with an end", other.fetch(nobody).count, equals: 0)
  }

  @Sendable static func counting(_ container: ModelContainer) throws {
    try saved(container, (0..<7).map { Voyage("v\($0)", days: $0) })
    let other = ModelContext(container)
    var descriptor = FetchDescriptor<Voyage>(
      predicate: #Predicate { $0.days >= 2 },
      sortBy: [SortDescriptor(\.days, order: .reverse)]
    )
    descriptor.fetchLimit = 3
    let found = try other.fetch(descriptor).map(\.persistentModelID)
    try expect("the objects", found.count, equals: 3)
    try expect("the count", other.fetchCount(descriptor), equals: 3)
    try expect("the identifiers", Array(other.fetchIdentifiers(descriptor)), equals: found)
  }

  @Sendable static func inheritance(_ container: ModelContainer) throws {
    try saved(container, [Sailor("Bob"), Captain("Ada", licence: 7), Voyage("Fram")])
    let other = ModelContext(container)
    let sailors = try other.fetch(FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.name)]))
    try expect("the sailors", sailors.map(\.name), equals: ["Ada", "Bob"])
    try expect("the licence", (sailors[0] as? Captain)?.licence, equals: 7)
    try expect("the captains", other.fetchCount(FetchDescriptor<Captain>()), equals: 1)
  }

  @Sendable static func deleteRules(_ container: ModelContainer) throws {
    let voyage = Voyage("Fram")
    let other = Voyage("Beagle")
    let sailor = Sailor("Ada")
    voyage.landfalls = [Landfall("a"), Landfall("b")]
    voyage.crew = [sailor]
    other.crew = [sailor]
    other.flagship = voyage
    let context = try saved(container, [voyage, other])
    context.delete(voyage)
    try context.save()
    let fresh = ModelContext(container)
    try expect("the landfalls", fresh.fetchCount(FetchDescriptor<Landfall>()), equals: 0)
    let left = try fresh.fetch(FetchDescriptor<Voyage>())
    try expect("the voyages", left.map(\.name), equals: ["Beagle"])
    try expect("the flagship", left[0].flagship?.name, equals: nil)
    let sailors = try fresh.fetch(FetchDescriptor<Sailor>())
    try expect("the voyages of the sailor", sailors.first?.voyages.map(\.name), equals: ["Beagle"])
  }

  @Sendable static func identifiers(_ container: ModelContainer) throws {
    let objects = (0..<5).map { Voyage("v\($0)") }
    let context = try saved(container, objects)
    let given = objects.map(\.persistentModelID)
    try expect("the identifiers", given.allSatisfy { !$0.isTemporary }, "permanent ones")
    try expect("the different identifiers", Set(given).count, equals: 5)
    context.delete(objects[4])
    try context.save()
    let next = Voyage("next")
    context.insert(next)
    try context.save()
    try expect("a later one", !given.contains(next.persistentModelID), "one never given")
  }

  @Sendable static func unsaved(_ container: ModelContainer) throws {
    let voyage = Voyage("Fram", days: 1)
    let context = try saved(container, [voyage])
    voyage.days = 2
    context.insert(Voyage("never"))
    let found = try ModelContext(container).fetch(FetchDescriptor<Voyage>())
    try expect("the days that others see", found.map(\.days), equals: [1])
    context.rollback()
    try context.save()
    let again = try ModelContext(container).fetch(FetchDescriptor<Voyage>())
    try expect("the days after a rollback", again.map(\.days), equals: [1])
  }

  static func reopening(_ bench: StoreBench) throws {
    try bench.withContext { context in
      let voyage = Voyage("Fram", days: 4)
      voyage.landfalls = [Landfall("b"), Landfall("a")]
      voyage.crew = [Captain("Ada", licence: 1)]
      context.insert(voyage)
      try context.save()
    }
    try bench.withContext { context in
      let found = try context.fetch(FetchDescriptor<Voyage>())
      try expect("the voyages", found.map(\.days), equals: [4])
      guard let voyage = found.first else { return }
      try expect("the landfalls", voyage.landfalls.map(\.harbour), equals: ["b", "a"])
      try expect("the captain", (voyage.crew.first as? Captain)?.licence, equals: 1)
      context.delete(voyage)
      try context.save()
    }
    try bench.withContext { context in
      try expect("the voyages", context.fetchCount(FetchDescriptor<Voyage>()), equals: 0)
      try expect("the sailors", context.fetchCount(FetchDescriptor<Sailor>()), equals: 1)
    }
  }

  static func lastingIdentifiers(_ bench: StoreBench) throws {
    let given = try bench.withContext { context in
      let voyages = ["a", "b"].map { Voyage($0) }
      for voyage in voyages { context.insert(voyage) }
      try context.save()
      return voyages.map(\.persistentModelID)
    }
    try bench.withContext { context in
      for (identifier, name) in zip(given, ["a", "b"]) {
        let found = try context.fetch(
          FetchDescriptor<Voyage>(
            predicate: #Predicate { $0.persistentModelID == identifier }
          )
        )
        try expect("the object of \(identifier)", found.map(\.name), equals: [name])
      }
    }
  }
}
