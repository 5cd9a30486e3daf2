import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Merge policies")
struct MergePolicyTests {
  /// Each pair of a store and a situation.
  static let situations = EveryStore.withTextKeys.flatMap { store in
    MergeSituation.allCases.map { (store, $0) }
  }

  @Test(arguments: situations, PolicyCase.all)
  func `follow their table of outcomes`(
    _ combination: (EveryStore, MergeSituation),
    _ policy: PolicyCase
  ) throws {
    let contexts = try TwoContexts(combination.0, policy.policy)
    try combination.1.arise(in: contexts)
    let before = try contexts.stored()
    switch try #require(policy.outcome(of: combination.1)) {
    case .refused:
      #expect(throws: DataStoreError.conflict) { try contexts.here.save() }
      #expect(try contexts.stored() == before)
      #expect(contexts.here.hasChanges)
    case .gone:
      try contexts.here.save()
      #expect(try contexts.stored() == nil)
      #expect(contexts.mine.isDeleted && contexts.mine.modelContext == nil)
      #expect(!contexts.here.hasChanges)
    case .stored(let contents):
      try contexts.here.save()
      #expect(try contexts.stored() == contents)
      if policy.testDescription == "mergeByProperty" { _ = try contexts.here.all(StockItem.self) }
      #expect(contexts.mine.contents == contents)
      #expect(!contexts.mine.hasChanges && !contexts.mine.isDeleted)
      #expect(!contexts.here.hasChanges)
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `the error has base, mine and theirs, and a save after a fetch succeeds`(
    _ store: EveryStore
  ) throws {
    let contexts = try TwoContexts(store, .error)
    try MergeSituation.sameProperty.arise(in: contexts)
    let error = try #require(throws: DataStoreError.self) { try contexts.here.save() }
    let conflict = try #require(error.mergeConflicts.first)
    #expect(error.mergeConflicts.count == 1)
    #expect(conflict.identifier == contexts.mine.persistentModelID)
    #expect(conflict.kind == .changedOnBothSides)
    let name = try #require(conflict[\StockItem.name])
    #expect([name.base, name.mine, name.theirs] == ["base", "mine", "theirs"])
    let stock = try #require(conflict["stock"])
    #expect(!stock.isChangedHere && !stock.isChangedThere)
    #expect(error.description.contains("name") && !error.description.contains("theirs 1"))
    contexts.here.rollback()
    #expect(contexts.mine.name == "base")
    _ = try contexts.here.all(StockItem.self)
    contexts.mine.name += " and mine"
    try contexts.here.save()
    #expect(try contexts.stored() == "theirs and mine 1")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `the error has all conflicts of a save, and nothing is stored`(
    _ store: EveryStore
  ) throws {
    let contexts = try TwoContexts(store, .error)
    contexts.here.insert(StockItem("second"))
    contexts.here.insert(StockItem("third"))
    try contexts.here.save()
    let own = try contexts.here.all(StockItem.self)
    for article in try contexts.there.all(StockItem.self) where article.name != "third" {
      article.stock = 5
    }
    try contexts.there.save()
    for article in own { article.name += "!" }
    contexts.here.insert(StockItem("new"))
    let error = try #require(throws: DataStoreError.self) { try contexts.here.save() }
    #expect(error.mergeConflicts.count == 2)
    #expect(
      try ModelContext(contexts.container).all(StockItem.self).map(\.contents) == [
        "base 5", "second 5", "third 1",
      ]
    )
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can resolve each property with a closure`(_ store: EveryStore) throws {
    let policy = MergePolicy.resolve { conflict in
      guard let stock = conflict[\StockItem.stock], let base = stock.base, let mine = stock.mine,
        let theirs = stock.theirs
      else { return .error }
      return try .mine.keeping(.theirs, of: \StockItem.name)
        .setting(\StockItem.stock, to: theirs + mine - base)
    }
    let contexts = try TwoContexts(store, policy)
    contexts.theirs.name = "theirs"
    contexts.theirs.stock += 10
    try contexts.there.save()
    contexts.mine.name = "mine"
    contexts.mine.stock += 5
    try contexts.here.save()
    #expect(try contexts.stored() == "theirs 16")
    #expect(contexts.mine.contents == "theirs 16")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `an error that a closure throws ends the save`(_ store: EveryStore) throws {
    let contexts = try TwoContexts(store, .resolve { _ in throw CancellationError() })
    try MergeSituation.sameProperty.arise(in: contexts)
    #expect(throws: CancellationError.self) { try contexts.here.save() }
    #expect(try contexts.stored() == "theirs 1")
    #expect(contexts.mine.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `the same change on both sides is a conflict`(_ store: EveryStore) throws {
    let contexts = try TwoContexts(store, .error)
    contexts.theirs.name = "same"
    try contexts.there.save()
    contexts.mine.name = "same"
    let error = try #require(throws: DataStoreError.self) { try contexts.here.save() }
    let name = try #require(error.mergeConflicts.first?[\StockItem.name])
    #expect([name.base, name.mine, name.theirs] == ["base", "same", "same"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a change that was reverted is no conflict`(
    _ store: EveryStore
  ) throws {
    let contexts = try TwoContexts(store, .error)
    contexts.theirs.name = "other"
    try contexts.there.save()
    contexts.theirs.name = "base"
    try contexts.there.save()
    contexts.mine.stock = 3
    try contexts.here.save()
    #expect(try contexts.stored() == "base 3")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `related objects that set their owner do not change it`(_ store: EveryStore) throws {
    let contexts = try TwoContexts(store, .error)
    let shelf = StockShelf("top")
    contexts.here.insert(shelf)
    try contexts.here.save()
    contexts.theirs.shelf = try contexts.there.all(StockShelf.self).first
    try contexts.there.save()
    shelf.title = "bottom"
    try contexts.here.save()
    #expect(try ModelContext(contexts.container).all(StockShelf.self).first?.articles.count == 1)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `merge to-many relationships as properties, or by element`(
    _ store: EveryStore
  ) throws {
    let cases: [(MergePolicy, [String]?)] = [
      (.mergeByProperty, ["b", "a"]), (.contextWins, ["b"]), (.storeWins, ["a"]),
      (.error, nil),
      (.resolve { try .theirs.keeping(.mine, of: \StockItem.labels).checked($0) }, ["b"]),
    ]
    for (policy, expected) in cases {
      let contexts = try TwoContexts(store, policy)
      let labels = [StockLabel("a"), StockLabel("b")]
      for label in labels { contexts.here.insert(label) }
      try contexts.here.save()
      #expect(contexts.mine.labels.isEmpty)
      contexts.theirs.labels = try contexts.there.all(StockLabel.self).filter { $0.text == "a" }
      try contexts.there.save()
      contexts.mine.labels = [labels[1]]
      if let expected {
        try contexts.here.save()
        #expect(contexts.mine.labels.map(\.text) == expected)
        let stored = try #require(try ModelContext(contexts.container).all(StockItem.self).first)
        #expect(stored.labels.map(\.text) == expected)
      } else {
        #expect(throws: DataStoreError.conflict) { try contexts.here.save() }
      }
    }
  }

  @Test func `detect conflicts with saves of other processes`() throws {
    let fixture = try ContainerFixture(
      .sqlite,
      for: StockItem.self,
      StockShelf.self,
      StockLabel.self
    )
    let (first, second) = (try fixture.context(), try fixture.context())
    #expect(first.container != second.container)
    first.mergePolicy = .error
    first.insert(StockItem("base"))
    try first.save()
    let mine = try #require(try first.all(StockItem.self).first)
    try #require(try second.all(StockItem.self).first).stock = 2
    try second.save()
    mine.stock = 3
    #expect(throws: DataStoreError.conflict) { try first.save() }
  }
}

extension MergeResolution {
  /// Returns this resolution, and expects a conflict of lists.
  fileprivate func checked(_ conflict: MergeConflict) -> MergeResolution {
    #expect(conflict["labels"]?.isChangedHere == true)
    #expect(conflict["labels"]?.isChangedThere == true)
    return self
  }
}
