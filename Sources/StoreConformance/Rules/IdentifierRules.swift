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
  ]

  private static func newRecordsGetIdentifiers(_ bench: StoreBench) throws {
    let records = try [Sample.record("Dog"), Sample.record("Person"), Sample.record("Animal")]
    let result = try bench.save(inserting: records)
    try expect("the remapped identifiers", result.remapped.count, equals: 3)
    for record in records {
      let identifier = try result.identifier(of: record)
      try expect("the identifier \(identifier)", !identifier.isTemporary, "a permanent one")
      let entity = record.persistentIdentifier.entityName
      try expect("its entity", identifier.entityName, equals: entity)
      try expect("its store", identifier.storeIdentifier, equals: bench.store.identifier)
      let row = try bench.record(identifier)?.persistentIdentifier
      try expect("the row of \(identifier)", row, equals: identifier)
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
}
