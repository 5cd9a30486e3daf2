import Testing

/// Programs of ``FarmStep`` that once showed outdated objects.
@Suite struct `Objects show again what is stored` {
  private func expectFresh(_ store: FarmStore, _ steps: [FarmStep]) throws {
    let difference = try FarmTrial(FarmSite(store)).difference(steps)
    #expect(difference == nil)
  }

  @Test(arguments: FarmStore.available)
  func `after the save of a change that a fetch met`(store: FarmStore) throws {
    for (action, value) in [(FarmStep.Action.weight, 2), (.photo, 4), (.photo, 5)] {
      try expectFresh(
        store,
        [
          .init(0, .animal, 0, 0),
          .init(0, .farmer, 0, 0),
          .init(0, .save),
          .init(1, .fetchAll),
          .init(1, action, 0, value),
          .init(1, .save),
          .init(0, .owner, 0, 1),
          .init(0, .fetchAll),
          .init(0, .save),
        ]
      )
    }
  }

  @Test(arguments: FarmStore.available)
  func `after the save of a change without effect that a fetch met`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .animal, 0, 1),
        .init(0, .save, 0, 7),
        .init(1, .fetchAll, 0, 5),
        .init(1, .weight, 0, 2),
        .init(1, .save, 0, 2),
        .init(0, .owner, 0, 7),
        .init(0, .fetchAll, 0, 6),
        .init(0, .save, 0, 6),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after the save of a change beside another owner`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .animal, 0, 0),
        .init(0, .farmer, 0, 0),
        .init(0, .save),
        .init(1, .fetchAll),
        .init(1, .owner, 0, 1),
        .init(1, .save),
        .init(0, .weight, 0, 3),
        .init(0, .fetchAll),
        .init(0, .save),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after a save that refers to what another program deleted`(store: FarmStore) throws {
    for (action, second) in [(FarmStep.Action.animal, 4), (.addAnimal, 0)] {
      try expectFresh(
        store,
        [
          .init(0, .farmer, 0, 1),
          .init(0, .animal, 0, 0),
          .init(0, .save),
          .init(1, .fetch, 0, 0),
          .init(1, .deleteFarmer),
          .init(1, .save),
          .init(0, .fetchAll),
          .init(0, action, 0, second),
          .init(0, .save),
        ]
      )
    }
    try expectFresh(
      store,
      [
        .init(3, .farmer, 0, 2),
        .init(3, .animal, 0, 1),
        .init(3, .delete, 0, 2),
        .init(3, .save, 0, 0),
        .init(3, .delete, 0, 0),
        .init(0, .farmer, 0, 3),
        .init(0, .fetchAll, 0, 7),
        .init(3, .save, 0, 0),
        .init(0, .setFavorites, 0, 3),
        .init(0, .fetchAll, 0, 6),
        .init(0, .save, 0, 3),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after a save that clears what another program set`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .animal, 0, 6),
        .init(0, .save, 0, 2),
        .init(1, .farmer, 0, 1),
        .init(1, .fetch, 1, 0),
        .init(1, .setAnimals, 0, 0),
        .init(1, .save, 0, 0),
        .init(0, .owner, 0, 3),
        .init(0, .fetchAll, 0, 0),
        .init(0, .save, 0, 6),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after a list was ordered that another program changed`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(2, .farmer, 0, 1),
        .init(2, .animal, 0, 2),
        .init(2, .save, 0, 0),
        .init(0, .farmer, 4, 0),
        .init(0, .fetch, 6, 0),
        .init(0, .save, 0, 6),
        .init(0, .owner, 0, 1),
        .init(2, .reverseAnimals, 0, 0),
        .init(2, .fetchAll, 0, 7),
        .init(0, .save, 0, 0),
        .init(2, .save, 0, 0),
        .init(2, .addAnimal, 0, 6),
        .init(2, .save, 0, 7),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after the deletion of an object that moved elsewhere`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(2, .animal, 4, 2),
        .init(3, .animal, 0, 6),
        .init(3, .save, 0, 0),
        .init(1, .fetch, 6, 0),
        .init(2, .farmer, 0, 0),
        .init(2, .save, 0, 0),
        .init(3, .fetchAll, 0, 5),
        .init(1, .fetchAll, 0, 7),
        .init(1, .owner, 0, 1),
        .init(3, .owner, 5, 4),
        .init(3, .save, 0, 0),
        .init(1, .delete, 0, 0),
        .init(1, .fetchAll, 0, 0),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after the save of both ends that met another save`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .farmer, 0, 1),
        .init(0, .medal, 0, 5),
        .init(0, .save, 0, 7),
        .init(2, .fetch, 0, 0),
        .init(2, .portrait, 0, 5),
        .init(2, .save, 0, 6),
        .init(0, .setFarmers, 0, 0),
        .init(0, .save, 0, 5),
        .init(0, .undo, 0, 6),
      ]
    )
    try expectFresh(
      store,
      [
        .init(1, .medal, 0, 3),
        .init(1, .farmer, 0, 1),
        .init(0, .farmer, 6, 0),
        .init(1, .setFarmers, 0, 6),
        .init(1, .save, 0, 5),
        .init(0, .save, 0, 6),
        .init(0, .fetch, 0, 0),
        .init(1, .farmer, 0, 7),
        .init(0, .removeMedal, 3, 0),
        .init(1, .fetch, 0, 0),
        .init(1, .addMedal, 4, 0),
        .init(1, .save, 0, 0),
        .init(0, .save, 0, 5),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after a change of an object that another save had moved`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(2, .farmer, 0, 1),
        .init(2, .save, 0, 3),
        .init(3, .fetchAll, 0, 4),
        .init(2, .farmer, 1, 0),
        .init(3, .animal, 0, 6),
        .init(3, .save, 0, 6),
        .init(2, .fetchAll, 0, 4),
        .init(2, .addAnimal, 7, 0),
        .init(2, .save, 0, 1),
        .init(3, .save, 0, 5),
        .init(3, .save, 0, 3),
        .init(3, .addAnimal, 0, 6),
        .init(3, .save, 0, 7),
      ]
    )
  }

  /// Relationships and attributes of objects that no fetch returned.
  @Test(arguments: FarmStore.available)
  func `after a fetch of other objects`(store: FarmStore) throws {
    for change in [FarmStep.Action.owner, .weight, .photo, .delete] {
      try expectFresh(
        store,
        [
          .init(0, .farmer, 0, 1),
          .init(0, .animal, 0, 6),
          .init(0, .stall, 0, 6),
          .init(0, .save),
          .init(1, .fetchAll),
          .init(0, .farmer, 1, 0),
          .init(0, change, 1, 1),
          .init(0, .save),
          .init(1, .fetch, 0),
          .init(1, .fetch, 3),
          .init(1, .save),
        ]
      )
    }
  }

  /// OSD_SEED=11, program 11000171.
  @Test(arguments: FarmStore.available)
  func `in the order of an owner with unsaved members`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .animal, 0, 4), .init(0, .farmer, 0, 0), .init(1, .animal, 0, 2),
        .init(0, .addAnimal, 0, 4), .init(0, .save, 0, 3), .init(0, .animal, 0, 5),
        .init(1, .fetch, 1, 0), .init(1, .farmer, 6, 0), .init(1, .animal, 0, 0),
        .init(1, .animal, 0, 5), .init(1, .setAnimals, 0, 1), .init(1, .animal, 0, 6),
        .init(1, .refresh, 7, 5), .init(0, .save, 0, 5), .init(1, .fetch, 0, 0),
      ]
    )
  }

  /// OSD_SEED=11, program 11000221.
  @Test(arguments: FarmStore.available)
  func `after an undone deletion that met another save`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(1, .animal, 0, 0), .init(0, .farmer, 0, 5), .init(0, .save, 0, 3),
        .init(1, .fetchAll, 0, 6), .init(1, .owner, 0, 1), .init(0, .farmer, 0, 0),
        .init(0, .animal, 0, 4), .init(1, .save, 0, 3), .init(0, .delete, 0, 0),
        .init(0, .addAnimal, 0, 7), .init(0, .fetch, 0, 0), .init(0, .undo, 0, 7),
        .init(0, .fetchAll, 0, 5),
      ]
    )
  }

  /// OSD_SEED=21, programs 21000709 and 21000863.
  @Test(arguments: FarmStore.available)
  func `after an undone deletion`(store: FarmStore) throws {
    let stored: [FarmStep] = [.init(0, .farmer, 0, 1), .init(0, .animal, 0, 3), .init(0, .save)]
    try expectFresh(
      store,
      stored + [
        .init(1, .fetch, 1), .init(1, .delete, 0, 7), .init(1, .undo), .init(1, .fetch, 0, 0),
      ]
    )
    try expectFresh(
      store,
      [
        .init(1, .farmer, 0, 2), .init(1, .debt, 0, 5), .init(1, .save, 0, 4),
        .init(0, .revert, 0, 6), .init(0, .undo, 0, 6), .init(0, .save, 0, 4),
      ]
    )
    try expectFresh(
      store,
      [
        .init(1, .animal, 0, 1), .init(1, .save), .init(0, .fetch, 1), .init(0, .farmer, 0, 2),
        .init(0, .owner, 0, 5), .init(1, .farmer, 0, 2), .init(1, .setAnimals, 0, 7),
        .init(1, .save, 0, 4), .init(0, .fetch), .init(0, .deleteFarmer), .init(0, .undo, 0, 6),
        .init(0, .save, 0, 4),
      ]
    )
  }

  /// OSD_SEED=31, program 31000114.
  @Test(arguments: FarmStore.available)
  func `after an owner was set again whom another program took away`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(2, .farmer), .init(2, .animal, 0, 3), .init(2, .save, 0, 5), .init(0, .fetch, 6),
        .init(1, .fetchAll, 0, 4), .init(0, .owner), .init(0, .save, 0, 7), .init(1, .owner, 0, 4),
        .init(1, .fetch, 0, 2), .init(1, .save, 0, 5),
      ]
    )
  }

  /// OSD_SEED=31, program 31000348: the list of an owner whom another program has deleted.
  @Test(arguments: FarmStore.available)
  func `each time the same before the next fetch`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(2, .farmer, 0, 4), .init(2, .animal, 0, 4), .init(2, .save), .init(2, .deleteFarmer),
        .init(1, .animal, 0, 6), .init(0, .fetch), .init(0, .fetch, 1), .init(0, .owner, 0, 1),
        .init(1, .save, 0, 3), .init(0, .deleteWhere, 0, 5), .init(2, .save, 0, 6),
        .init(0, .removeAnimal, 0, 7),
      ]
    )
  }

  /// OSD_SEED=41, program 41000559.
  @Test(arguments: FarmStore.available)
  func `at both ends of a pair that was set again and another program had parted`(
    store: FarmStore
  ) throws {
    try expectFresh(
      store,
      [
        .init(1, .stall, 0, 7), .init(1, .farmer, 5), .init(1, .occupant, 0, 1), .init(1, .save),
        .init(0, .farmer, 5), .init(0, .save), .init(1, .occupant, 0, 6), .init(1, .save, 0, 2),
      ]
    )
  }

  /// OSD_SEED=51, program 51000694.
  @Test(arguments: FarmStore.available)
  func `after a refresh that dropped a change of an object which another program moved`(
    store: FarmStore
  ) throws {
    try expectFresh(
      store,
      [
        .init(0, .animal, 5, 5), .init(1, .animal, 0, 5), .init(0, .save), .init(0, .fetch, 0, 4),
        .init(1, .delete, 0, 2), .init(0, .debt, 0, 5), .init(0, .save), .init(1, .farmer, 0, 3),
        .init(1, .fetch, 7), .init(0, .debtor, 0, 5), .init(1, .debtor, 0, 5), .init(1, .save),
        .init(0, .fetch, 0, 3), .init(0, .refresh, 1, 1), .init(0, .save),
      ]
    )
  }

  @Test(arguments: FarmStore.available)
  func `after an unsaved member was set again and taken away`(store: FarmStore) throws {
    try expectFresh(
      store,
      [
        .init(0, .farmer), .init(0, .save), .init(0, .animal, 0, 3), .init(0, .read),
        .init(0, .owner, 0, 1), .init(0, .owner), .init(0, .save), .init(0, .fetchAll),
      ]
    )
  }
}
