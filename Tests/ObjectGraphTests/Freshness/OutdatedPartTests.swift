import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Objects after fetches that read a part of them, or more than the result.
@Suite struct `What others saved, after a fetch` {
  private struct Farm {
    let folder: TemporaryFolder
    let site: FarmSite
    let here: ModelContext
    let there: ModelContext

    init(_ store: FarmStore) throws {
      folder = try TemporaryFolder()
      site = try FarmSite(store)
      let containers = try site.open(in: folder)
      here = ModelContext(containers[0])
      there = ModelContext(containers[containers.count - 1])
      for number in 0..<3 {
        let farmer = Farmer("f\(number)")
        farmer.age = number
        farmer.portrait = Data(repeating: 1, count: 20_000)
        here.insert(farmer)
        let animal = Animal(number)
        animal.farmer = farmer
        let medal = Medal("m\(number)")
        farmer.medals = [medal]
        farmer.favorites = [animal]
        farmer.best = animal
        let stall = Stall(number)
        stall.farmer = farmer
      }
      try here.save()
    }

    /// Changes everything of the first farmer in the second context.
    func change() throws {
      let farmer = try #require(try there.all(Farmer.self).first)
      farmer.age += 10
      farmer.name += "x"
      farmer.portrait = Data(repeating: 2, count: 20_001)
      let animal = Animal(farmer.age)
      animal.farmer = farmer
      farmer.favorites.append(animal)
      farmer.best = animal
      farmer.medals = [Medal("n\(farmer.age)")]
      farmer.stall = Stall(farmer.age)
      for animal in farmer.animals { animal.weight += 100 }
      try there.save()
    }

    /// Checks that farmers show what a new context shows.
    func check(_ farmers: [Farmer], _ comment: Comment) throws {
      let fresh = ModelContext(here.container)
      let stored = try fresh.all(Farmer.self)
      for farmer in farmers {
        let other = try #require(
          stored.first { $0.persistentModelID == farmer.persistentModelID },
          comment
        )
        #expect(text(farmer) == text(other), comment)
      }
      try fresh.save()
    }

    private func text(_ farmer: Farmer) -> String {
      FarmKind.values(of: farmer).map { property, value in
        let text =
          switch value {
          case .attribute(let text): text
          case .one(let model): model.map { "\($0.persistentModelID)" } ?? "nil"
          case .many(let models):
            models.map { "\($0.persistentModelID)" }.joined(separator: " ")
          }
        return "\(property): \(text)"
      }.joined(separator: "\n")
    }
  }

  /// Fetches of farmers.
  private static var fetches: [(name: Comment, fetch: (ModelContext) throws -> [Farmer])] {
    [
      (
        "a name alone",
        { context in
          var descriptor = FetchDescriptor<Farmer>()
          descriptor.propertiesToFetch = [\.name]
          return try context.fetch(descriptor)
        }
      ),
      (
        "an age and a large value",
        { context in
          var descriptor = FetchDescriptor<Farmer>(predicate: #Predicate { $0.age < 1_000 })
          descriptor.propertiesToFetch = [\.age, \.portrait]
          return try context.fetch(descriptor)
        }
      ),
      (
        "related objects",
        { context in
          var descriptor = FetchDescriptor<Farmer>()
          descriptor.relationshipKeyPathsForPrefetching = [
            \.animals, \.medals, \.favorites, \.stall, \.best,
          ]
          return try context.fetch(descriptor)
        }
      ),
      (
        "a batch",
        { context in Array(try context.fetch(FetchDescriptor<Farmer>(), batchSize: 1)) }
      ),
      (
        "a window",
        { context in
          var descriptor = FetchDescriptor<Farmer>(sortBy: [SortDescriptor(\.age, order: .reverse)])
          descriptor.fetchLimit = 2
          return try context.fetch(descriptor)
        }
      ),
      (
        "a filter by a relationship",
        { try $0.fetch(FetchDescriptor<Farmer>(predicate: #Predicate { !$0.animals.isEmpty })) }
      ),
      (
        "enumeration",
        { context in
          var farmers: [Farmer] = []
          try context.enumerate(FetchDescriptor<Farmer>()) { farmers.append($0) }
          return farmers
        }
      ),
    ]
  }

  @Test(arguments: FarmStore.available, fetches.indices)
  func `is in all properties of the result`(_ store: FarmStore, _ index: Int) throws {
    let farm = try Farm(store)
    let (name, fetch) = Self.fetches[index]
    let held = try farm.here.all(Farmer.self)
    try farm.check(held, name)
    for round in 0..<3 {
      try farm.change()
      let farmers = try fetch(farm.here)
      #expect(farmers.contains { $0 === held[0] }, name)
      try farm.check(farmers, name)
      // An own save of another property in between.
      if round == 0 {
        held[0].age += 1
        try farm.here.save()
        try farm.check(held, name)
      }
      if round == 1 {
        try farm.change()
        held[0].portrait = nil
        try farm.here.save()
        try farm.check(try fetch(farm.here), name)
      }
    }
    _ = try farm.here.all(Farmer.self)
    try farm.check(held, name)
  }

  /// Requests that return values, and no objects.
  private static var looks: [(name: Comment, look: (ModelContext) throws -> Void)] {
    let all = FetchDescriptor<Farmer>()
    return [
      ("a number", { _ = try $0.fetchCount(all) }),
      (
        "a number with that of unsaved objects",
        { context in
          context.insert(Animal(1))
          _ = try context.fetchCount(FetchDescriptor<Animal>())
        }
      ),
      ("identifiers", { _ = try $0.fetchIdentifiers(all) }),
      ("values", { _ = try $0.fetch(all, select: \.age) }),
      ("a sum", { _ = try $0.aggregate(all, .sum(\.age)) }),
      ("snapshots", { _ = try $0.fetchSnapshots(all) }),
    ]
  }

  @Test(arguments: FarmStore.available, looks.indices)
  func `is in objects after a fetch of values`(_ store: FarmStore, _ index: Int) throws {
    let farm = try Farm(store)
    let (name, look) = Self.looks[index]
    let held = try farm.here.all(Farmer.self)
    try farm.check(held, name)
    for _ in 0..<2 {
      try farm.change()
      try look(farm.here)
      try farm.check(held, name)
    }
  }

  @Test(arguments: FarmStore.available)
  func `is in related objects that were prefetched`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try #require(try farm.here.all(Farmer.self).first)
    let animal = try #require(farmer.animals.first)
    #expect(animal.weight == 0)
    try farm.change()
    var descriptor = FetchDescriptor<Farmer>()
    descriptor.relationshipKeyPathsForPrefetching = [\.animals]
    _ = try farm.here.fetch(descriptor)
    #expect(farmer.animals.count == 2)
    #expect(animal.weight == 100)
  }

  @Test(arguments: FarmStore.available)
  func `is in the results of an observer`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let context = ModelContext(farm.here.container, isolation: nil)
    let observer = try ResultsObserver<Farmer, Never>(modelContext: context)
    _ = observer.results.map { FarmKind.values(of: $0).count }
    for _ in 0..<2 {
      try farm.change()
      _ = try context.all(Farmer.self)
      try farm.check(Array(observer.results), "the results")
    }
  }

  /// Another process changes everything, and has ended before the fetch.
  @Test(arguments: [FarmStore.sqlite, .postgres].filter { FarmStore.available.contains($0) })
  func `by another process is in all properties`(_ store: FarmStore) async throws {
    let folder = try TemporaryFolder()
    let kind: EveryStore = store == .sqlite ? .sqlite : .postgreSQL
    let url = kind.url(in: folder)
    let container = try ModelContainer(for: FarmSite.schema, store: url)
    let context = ModelContext(container)
    let farmer = Farmer("Ada")
    context.insert(farmer)
    try context.save()
    #expect(farmer.animals.isEmpty && farmer.favorites.isEmpty && farmer.medals.isEmpty)
    await #expect(processExitsWith: .success) { [url = url as String] in
      try addToFarm(1, url)
    }
    #expect(try context.all(Farmer.self).first === farmer)
    #expect(farmer.animals.map(\.weight) == [1] && farmer.favorites.map(\.weight) == [1])
    #expect(farmer.medals.map(\.word) == ["1"] && farmer.age == 1 && farmer.stall?.number == 1)
    #expect(farmer.portrait?.count == 20_001)
    // With an unsaved change, and after its save.
    farmer.name = "Eve"
    await #expect(processExitsWith: .success) { [url = url as String] in
      try addToFarm(2, url)
    }
    _ = try context.all(Farmer.self)
    try context.save()
    _ = try context.all(Farmer.self)
    #expect(farmer.animals.map(\.weight) == [1, 2] && farmer.favorites.map(\.weight) == [1, 2])
    #expect(farmer.medals.count == 2 && farmer.age == 2 && farmer.stall?.number == 2)
    #expect(farmer.portrait?.count == 20_002)
    // The rules apply to what the other process added since.
    await #expect(processExitsWith: .success) { [url = url as String] in
      try addToFarm(3, url)
    }
    context.delete(farmer)
    try context.save()
    #expect(try ModelContext(container).all(Animal.self).isEmpty)
  }
}

private func addToFarm(_ number: Int, _ url: String) throws {
  let context = ModelContext(try ModelContainer(for: FarmSite.schema, store: url))
  guard let farmer = try context.all(Farmer.self).first else { return }
  let animal = Animal(number)
  animal.farmer = farmer
  farmer.favorites.append(animal)
  farmer.medals.append(Medal("\(number)"))
  farmer.age = number
  farmer.portrait = Data(repeating: 3, count: 20_000 + number)
  farmer.stall = Stall(number)
  try context.save()
}
