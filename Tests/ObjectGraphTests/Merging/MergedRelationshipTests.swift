import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Merge policies and relationships")
struct MergedRelationshipTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `treat a to-one relationship as a property`(_ store: EveryStore) throws {
    let cases: [(MergePolicy, String?)] = [
      (.mergeByProperty, "b"), (.contextWins, "b"), (.storeWins, "a"), (.error, nil),
      (.resolve { _ in try .mine.keeping(.theirs, of: \StockItem.shelf) }, "a"),
    ]
    for (policy, expected) in cases {
      let contexts = try TwoContexts(store, policy)
      let shelves = [StockShelf("a"), StockShelf("b")]
      for shelf in shelves { contexts.here.insert(shelf) }
      try contexts.here.save()
      contexts.theirs.shelf = try contexts.there.all(StockShelf.self).first { $0.title == "a" }
      try contexts.there.save()
      contexts.mine.shelf = shelves[1]
      guard let expected else {
        let error = try #require(throws: DataStoreError.self) { try contexts.here.save() }
        let shelf = try #require(error.mergeConflicts.first?["shelf"])
        #expect(shelf.base == .null && shelf.isChangedHere && shelf.isChangedThere)
        #expect(shelf.mine == .identifier(shelves[1].persistentModelID))
        #expect(shelf.theirs == .identifier(shelves[0].persistentModelID))
        continue
      }
      try contexts.here.save()
      // Under the default policy the objects have the stored values after the next fetch.
      _ = try contexts.here.all(StockItem.self)
      #expect(contexts.mine.shelf?.title == expected)
      #expect(shelves.map(\.articles.count) == (expected == "a" ? [1, 0] : [0, 1]))
      let stored = try ModelContext(contexts.container).all(StockShelf.self)
      #expect(stored.map(\.articles.count) == (expected == "a" ? [1, 0] : [0, 1]))
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `compare an object with the values that the context has read`(
    _ store: EveryStore
  ) throws {
    let contexts = try TwoContexts(store)
    contexts.theirs.stock = 5
    try contexts.there.save()
    contexts.here.mergePolicy = .error
    #expect(contexts.mine.stock == 1)
    contexts.mine.stock += 1
    let error = try #require(throws: DataStoreError.self) { try contexts.here.save() }
    #expect(error.mergeConflicts.first?[\StockItem.stock]?.theirs == 5)
    #expect(try contexts.stored() == "base 5")
    // A save of another property shows what it met.
    contexts.here.rollback()
    contexts.here.mergePolicy = .mergeByProperty
    contexts.theirs.stock = 7
    try contexts.there.save()
    contexts.mine.name = "mine"
    try contexts.here.save()
    contexts.here.mergePolicy = .error
    #expect(contexts.mine.stock == 7)
    contexts.mine.stock += 1
    try contexts.here.save()
    #expect(try contexts.stored() == "mine 8")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `several saves of one context do not conflict`(
    _ store: EveryStore
  ) throws {
    let contexts = try TwoContexts(store, .error)
    let new = StockItem("new")
    contexts.here.insert(new)
    for turn in 1...3 {
      contexts.mine.stock = turn
      new.stock = turn
      new.labels = [StockLabel("\(turn)")]
      try contexts.here.save()
    }
    contexts.here.delete(new)
    try contexts.here.save()
    #expect(try contexts.stored() == "base 3")
  }
}
