import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// What others saved, as the objects of a context show it.
@Suite struct `What others saved` {
  /// A store of the farm with two contexts: in two containers like two processes, or in one.
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
    }

    /// A farmer of the first context, who is stored.
    func farmer(_ portrait: Data? = nil) throws -> Farmer {
      let farmer = Farmer("Ada")
      farmer.portrait = portrait
      here.insert(farmer)
      try here.save()
      return farmer
    }

    /// The farmer in the second context.
    func other() throws -> Farmer {
      try #require(try there.all(Farmer.self).first)
    }

    /// Adds an animal, a medal and a favorite in the second context.
    func add(_ weight: Int) throws {
      let farmer = try other()
      let (animal, medal) = (Animal(weight), Medal("\(weight)"))
      animal.farmer = farmer
      farmer.medals.append(medal)
      farmer.favorites.append(animal)
      try there.save()
    }
  }

  private func shown(_ farmer: Farmer) -> [String] {
    farmer.animals.map { "animal \($0.weight)" } + farmer.medals.map { "medal \($0.word)" }
      + farmer.favorites.map { "favorite \($0.weight)" }
  }

  private static func expected(_ weights: [Int]) -> [String] {
    ["animal", "medal", "favorite"].flatMap { name in weights.map { "\(name) \($0)" } }
  }

  @Test(arguments: FarmStore.available)
  func `is in a relationship that was loaded before`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    #expect(shown(farmer) == [])
    for weight in 1...3 {
      try farm.add(weight)
      #expect(try farm.here.all(Farmer.self).first === farmer)
      #expect(shown(farmer) == Self.expected(Array(1...weight)))
    }
    for animal in try farm.here.all(Animal.self) { #expect(animal.farmer === farmer) }
  }

  @Test(arguments: FarmStore.available)
  func `is in it after the save of an unsaved change`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    #expect(shown(farmer) == [])
    farmer.age = 5
    let mine = Animal(9)
    mine.farmer = farmer
    try farm.add(1)
    _ = try farm.here.all(Farmer.self)
    try farm.here.save()
    _ = try farm.here.all(Farmer.self)
    #expect(Set(farmer.animals.map(\.weight)) == [1, 9])
    #expect(farmer.favorites.map(\.weight) == [1] && farmer.medals.count == 1)
    let stored = try #require(try ModelContext(farm.here.container).all(Farmer.self).first)
    #expect(stored.animals.map(\.weight) == farmer.animals.map(\.weight))
  }

  @Test(arguments: FarmStore.available, [false, true])
  func `is deleted with its owner`(_ store: FarmStore, isChanged: Bool) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    #expect(shown(farmer) == [])
    if isChanged { Animal(9).farmer = farmer }
    try farm.add(1)
    farm.here.delete(farmer)
    try farm.here.save()
    #expect(try ModelContext(farm.here.container).all(Animal.self).isEmpty)
  }

  @Test(arguments: FarmStore.available, [false, true])
  func `denies the deletion of its owner`(_ store: FarmStore, isChanged: Bool) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    #expect(farmer.debts.isEmpty)
    if isChanged {
      farmer.age = 5
      _ = try farm.here.all(Farmer.self)
    }
    let debt = Debt(1)
    debt.farmer = try farm.other()
    try farm.there.save()
    if isChanged { for _ in 0..<3 { _ = try farm.here.all(Farmer.self) } }
    farm.here.delete(farmer)
    #expect(throws: DataStoreError.deletionDenied) { try farm.here.save() }
    #expect(try ModelContext(farm.here.container).all(Farmer.self).count == 1)
  }

  @Test(arguments: FarmStore.available)
  func `leaves a one-way relationship when it is deleted`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    try farm.add(1)
    _ = try farm.here.all(Farmer.self)
    #expect(shown(farmer) == Self.expected([1]))
    farm.there.delete(try #require(try farm.there.all(Animal.self).first))
    try farm.there.save()
    _ = try farm.here.all(Farmer.self)
    #expect(shown(farmer) == ["medal 1"])
  }

  @Test(arguments: FarmStore.available)
  func `is read again with reverted changes`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    try farm.add(1)
    let animal = try #require(try farm.here.all(Animal.self).first)
    #expect(shown(farmer) == Self.expected([1]))
    let new = Animal(2)
    new.farmer = farmer
    farm.here.delete(animal)
    _ = try farm.here.all(Animal.self)
    #expect(farmer.animals.map(\.weight) == [2])
    try farm.here.refreshAll(mergeChanges: false)
    #expect(animal.farmer === farmer && new.farmer === farmer)
    #expect(farmer.animals.map(\.weight) == [1, 2] && farmer.favorites.map(\.weight) == [1])
    #expect(!animal.hasChanges && !farmer.hasChanges && new.hasChanges)
  }

  @Test(arguments: FarmStore.available)
  func `is back at both ends when a deletion is reverted`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    try farm.add(1)
    let animal = try #require(try farm.here.all(Animal.self).first)
    #expect(farmer.animals.map(\.weight) == [1])
    farm.here.delete(animal)
    _ = try farm.here.all(Animal.self)
    #expect(farmer.animals.isEmpty)
    try farm.here.refresh(animal, mergeChanges: false)
    #expect(animal.farmer === farmer && farmer.animals.first === animal)
  }

  private static let large = Data(repeating: 2, count: 20_000)

  @Test(arguments: FarmStore.available)
  func `is the value of a merged object`(_ store: FarmStore) throws {
    let farm = try Farm(store)
    let first = Farmer("Ada")
    first.portrait = Data([1])
    farm.here.insert(first)
    let second = Farmer("Ada")
    second.portrait = Self.large
    farm.here.insert(second)
    try farm.here.save()
    #expect(first.portrait?.count == Self.large.count)
    _ = try farm.here.all(Farmer.self)
    #expect(first.portrait?.count == Self.large.count)
  }

  @Test(arguments: FarmStore.available, [false, true])
  func `is a large value beside an own change`(_ store: FarmStore, ofRelationship: Bool) throws {
    let farm = try Farm(store)
    let farmer = try farm.farmer()
    let mine = try farm.other()
    #expect(mine.portrait == nil)
    if ofRelationship { Stall(1).farmer = mine } else { mine.age = 1 }
    farmer.portrait = Self.large
    try farm.here.save()
    try farm.there.save()
    _ = try farm.there.all(Farmer.self)
    #expect(mine.portrait?.count == Self.large.count)
  }
}
