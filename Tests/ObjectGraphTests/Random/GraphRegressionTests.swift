import OpenSwiftData
import StoreTestSupport
import Testing

/// Minimized failures that random operations found.
@Suite struct `Regressions of object graphs` {
  @Test(arguments: EveryStore.withTextKeys)
  func `an owner that an initializer sets is visible at the other end`(
    store: EveryStore
  ) {
    Trial(store).expectNoDifference([
      .make(1, .port),
      .insert(1),
      .save,
      .evict,
      .make(2, .ship, port: 1),
      .look,
    ])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a rollback undoes a many-to-many change from the other end`(store: EveryStore) {
    Trial(store).expectNoDifference([
      .make(1, .seafarer),
      .insert(1),
      .make(2, .pennant),
      .save,
      .replace(2, .bearers, [1]),
      .rollback,
    ])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `an object that leaves and joins again is last, read in between or not`(store: EveryStore) {
    let before: [Step] = [
      .make(3, .seafarer),
      .make(6, .seafarer),
      .add(3, .pupils, 6),
      .make(12, .seafarer),
      .link(12, .mentor, 3),
      .link(6, .mentor, nil),
    ]
    Trial(store).expectNoDifference(before + [.link(6, .mentor, 3)])
    Trial(store).expectNoDifference(before + [.read(3), .link(6, .mentor, 3)])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `an owner that changed through its related objects is not evicted`(store: EveryStore) {
    Trial(store).expectNoDifference([
      .make(2, .seafarer),
      .insert(2),
      .make(8, .seafarer),
      .replace(2, .pupils, [8]),
      .save,
      .link(8, .mentor, 8),
      .ask(.withPupils),
      .evict,
    ])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a saved object that joins through its inverse is last after the save too`(
    store: EveryStore
  ) {
    let before: [Step] = [
      .make(1, .ship, port: 9),
      .make(2, .seafarer),
      .make(3, .seafarer),
      .make(4, .seafarer),
      .insert(3),
      .replace(1, .crew, [2, 4]),
      .save,
    ]
    Trial(store).expectNoDifference(
      [.make(9, .port)] + before + [.link(3, .ship, 1), .save, .evict, .look]
    )
    Trial(store).expectNoDifference(
      [.make(9, .port)] + before + [.evict, .link(3, .ship, 1), .save, .look]
    )
    Trial(store).expectNoDifference(
      [.make(9, .port)] + before + [
        .replace(1, .crew, [3, 4, 2]), .save, .link(3, .ship, nil), .save, .evict,
        .link(3, .ship, 1), .save, .look,
      ]
    )
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `a new object that is deleted in the same save denies nothing`(store: EveryStore) {
    Trial(store).expectNoDifference([
      .make(12, .port),
      .insert(12),
      .save,
      .make(22, .ship, port: 12),
      .delete(12),
      .delete(22),
    ])
  }
  @Test(arguments: EveryStore.withTextKeys)
  func `setting an array inserts its owner into the context of an element`(store: EveryStore) {
    Trial(store).expectNoDifference([
      .make(1, .port),
      .insert(1),
      .make(7, .log),
      .make(8, .log),
      .add(7, .seeAlso, 8, before: nil),
      .link(8, .place, 1),
      .reverse(7, .seeAlso),
      .save,
      .look,
    ])
  }
  @Test(arguments: EveryStore.withTextKeys)
  func `new objects keep the order in which they joined, not of insertion`(
    store: EveryStore
  ) {
    let before: [Step] = [
      .make(7, .seafarer), .make(10, .seafarer), .make(11, .port), .make(13, .ship, port: 11),
      .save, .link(7, .ship, 13), .link(10, .formerShip, 13), .link(7, .formerShip, 13),
    ]
    Trial(store).expectNoDifference(before + [.save, .evict, .look])
    Trial(store).expectNoDifference(before + [.look, .save, .evict, .look])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `an object that is inserted with several others has its related objects`(_ store: EveryStore)
  {
    Trial(store).expectNoDifference([
      .make(5, .pennant),
      .make(7, .seafarer),
      .add(5, .bearers, 7),
      .make(8, .pennant),
      .make(10, .deckhand),
      .add(10, .pennants, 5),
      .add(10, .pupils, 7),
      .insert(5),
      .add(8, .bearers, 10),
    ])
  }
}
