import StoreProtocol

/// Rules about permanent identifiers: their assignment, and the resolution of references.
enum IdentifierRules {
  static let all: [Rule] = [
    Rule(
      "IDENT-001",
      "Each new record gets a permanent identifier with its store and its own entity.",
      newRecordsGetIdentifiers
    ),
    Rule("IDENT-002", "Identifiers increase in the order of insertion.", identifiersRise),
    Rule(
      "IDENT-003",
      "Keys are integers from 1, in one sequence for all entities.",
      level: .should,
      keysAreOneSequence
    ),
    Rule("IDENT-004", "The identifier of a deleted row is never reused.", deletedIsNotReused),
    Rule("IDENT-005", "Identifiers from before an erasure are never reused.", erasedIsNotReused),
    Rule("IDENT-012", "An identifier with a superentity finds the row.", baseIdentifierFinds),
    Rule(
      "IDENT-013",
      "A reference to a new object that is not in the save throws.",
      unknownObjectsAreRefused
    ),
    .second(
      "IDENT-014",
      "An update that refers to a new object that is not in the save throws.",
      unregisteredInUpdates
    ),
    .second(
      "IDENT-015",
      "A reference may name a superentity; the stored reference names the row's own entity.",
      baseReferences
    ),
    .second(
      "IDENT-016",
      "A store with `nextKey()` uses the keys of a batch; later rows get other keys.",
      givenKeysAreKept
    ),
  ]

  private static func newRecordsGetIdentifiers(_ bench: StoreBench) throws {
    let records = try [Sample.record("Dog"), Sample.record("Person"), Sample.record("Animal")]
    let result = try bench.save(inserting: records)
    try expect("the remapped identifiers", result.remapped.count, equals: 3)
    for record in records {
      let identifier = try result.identifier(of: record)
      try expect("the identifier \(identifier)", !identifier.isTemporary, "a permanent one")
      try expect(
        "its entity",
        identifier.entityName,
        equals: record.persistentIdentifier.entityName
      )
      try expect("its store", identifier.storeIdentifier, equals: bench.store.identifier)
      try expect(
        "the row of \(identifier)",
        bench.record(identifier)?.persistentIdentifier,
        equals: identifier
      )
    }
  }

  private static func identifiersRise(_ bench: StoreBench) throws {
    let names = (0..<12).map { "p\($0)" }
    let first = try bench.insert("Person", named: names)
    let second = try bench.insert("Person", named: ["q"])
    try expect("the identifiers", (first + second).sorted(), equals: first + second)
    try expect("the order of the rows", bench.names(of: "Person"), equals: names + ["q"])
  }

  private static func keysAreOneSequence(_ bench: StoreBench) throws {
    let first = try ["Person", "Dog", "Group"].map { try Sample.record($0) }
    let keys = try bench.insert(first) + bench.insert([Sample.record("Cat")])
    try expect("the keys", keys.map(\.integerKey), equals: [1, 2, 3, 4])
  }

  private static func deletedIsNotReused(_ bench: StoreBench) throws {
    var seen: Set<PersistentIdentifier> = []
    for round in 0..<4 {
      let identifier = try bench.insert("Person", ["name": .string("\(round)")])
      try expect("\(identifier)", seen.insert(identifier).inserted, "an unused identifier")
      try bench.delete(identifier)
    }
  }

  private static func erasedIsNotReused(_ bench: StoreBench) throws {
    let before = try bench.insert("Person", named: ["a", "b"])
    try bench.store.erase()
    let after = try bench.insert("Person", named: ["c", "d"])
    try expect("the new identifiers", Set(before).isDisjoint(with: after), "none of \(before)")
  }

  private static func baseIdentifierFinds(_ bench: StoreBench) throws {
    let puppy = try bench.insert("Puppy", ["name": .string("Bo"), "litter": .integer(3)])
    let base = PersistentIdentifier(puppy.key, of: "Animal", in: try bench.store.identifier)
    let found = try bench.store.fetch(.rows([base], of: "Animal"))
    try expect("the row of \(base)", found.map(\.persistentIdentifier), equals: [puppy])
    try bench.update(base, ["name": .string("Bea")])
    try expect("the updated name", bench.value("name", of: puppy), equals: .string("Bea"))
    try bench.delete(base)
    try expect("the rows", bench.names(of: "Animal"), equals: [])
  }

  private static func unknownObjectsAreRefused(_ bench: StoreBench) throws {
    let unsaved = try Sample.record("Person").persistentIdentifier
    let pet = try Sample.record("Dog", ["owner": .identifier(unsaved)])
    let fan = try Sample.record("Person", ["favourites": .identifiers([unsaved])])
    for record in [pet, fan] {
      try expect("a reference to \(unsaved)", throws: .invalidValue) {
        try bench.save(inserting: [Sample.record("Cat"), record])
      }
    }
    try expect("the rows", bench.names(of: "Animal"), equals: [])
  }

  private static func givenKeysAreKept(_ bench: StoreBench) throws {
    // Other stores do not accept keys, and the engine passes them none.
    guard let first = try bench.store.nextKey() else { return }
    var records = try ["Ada", "Bob", "Cid"].map {
      try Sample.record("Person", ["name": .string($0)])
    }
    records[0]["mentor"] = .identifier(records[2].persistentIdentifier)
    let keys = [first + 1, first + 3, first + 9]
    var changes = StoreChanges(inserted: records)
    for (record, key) in zip(records, keys) { changes.keys[record.persistentIdentifier] = key }
    changes.nextKey = first + 20
    let result = try bench.store.apply(changes)
    let given = try records.map { try result.identifier(of: $0).key }
    try expect("the keys", given, equals: keys.map(PersistentIdentifier.Key.integer))
    let found = try bench.store.identifiers(StoreQuery(entity: "Person")).map(\.key)
    try expect("the keys of the rows", found, equals: given)
    try bench.expectValue(
      "mentor",
      of: try result.identifier(of: records[0]),
      .identifier(try result.identifier(of: records[2]))
    )
    try expect("the next key", bench.store.nextKey(), equals: first + 20)
    let late = try Sample.record("Person", ["name": .string("Eve")])
    var wrong = StoreChanges(inserted: [late])
    wrong.nextKey = first + 50
    for key in [first + 4, first + 19] {
      wrong.keys[late.persistentIdentifier] = key
      try expect("a save with a key that may have been in use", throws: .invalidValue) {
        _ = try bench.store.apply(wrong)
      }
    }
    try expect("the next key after a save that threw", bench.store.nextKey(), equals: first + 20)
    let next = try bench.insert("Person", ["name": .string("Eve")])
    try expect("the key of a later row", next.key, equals: .integer(first + 20))
    try bench.delete(next)
    try expect("the next key after a deletion", bench.store.nextKey(), equals: first + 21)
  }

  private static func unregisteredInUpdates(_ bench: StoreBench) throws {
    let unsaved = try Sample.record("Person").persistentIdentifier
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    for values in [
      ["mentor": .identifier(unsaved)], ["favourites": .identifiers([unsaved])],
    ] as [[String: StoreValue]] {
      try expect("a reference to \(unsaved)", throws: .invalidValue) {
        try bench.save(
          inserting: [Sample.record("Cat")],
          updating: [
            Sample.update(people[0], ["age": .integer(1)]), Sample.update(people[1], values),
          ]
        )
      }
    }
    try expect("the rows", bench.names(of: "Animal"), equals: [])
    try expect("the age", bench.value("age", of: people[0]), equals: .null)
  }

  private static func baseReferences(_ bench: StoreBench) throws {
    let pets = try ["Puppy", "Cat"].map { try bench.insert($0, ["name": .string($0)]) }
    let store = try bench.store.identifier
    let above = pets.map { PersistentIdentifier($0.key, of: "Animal", in: store) }
    let exhibit = try bench.insert("Exhibit", ["animal": .identifier(above[0])])
    try expect("a reference", bench.value("animal", of: exhibit), equals: .identifier(pets[0]))
    let person = try bench.insert("Person", ["favourites": .identifiers(above)])
    try expect("a list", bench.value("favourites", of: person), equals: .identifiers(pets))
    try bench.update(exhibit, ["animal": .identifier(above[1])])
    try expect("an update", bench.value("animal", of: exhibit), equals: .identifier(pets[1]))
    let found = try bench.store.identifiers(.rows(above, of: "Animal"))
    try expect("the requested rows", found, equals: pets)
    guard try bench.store.capabilities.filtering == .native else { return }
    for filter in [
      QueryExpression.row("animal", .equal, .identifier(above[1])),
      .contains(.constant(.identifiers(above)), .row("animal")),
    ] {
      let found = try bench.store.identifiers(StoreQuery("Exhibit", where: filter))
      try expect("the rows where \(filter)", found, equals: [exhibit])
    }
    let isFan = QueryExpression.contains(.row("favourites"), .constant(.identifier(above[0])))
    let fans = try bench.store.identifiers(StoreQuery("Person", where: isFan))
    try expect("the rows where \(isFan)", fans, equals: [person])
  }
}
