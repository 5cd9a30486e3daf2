import StoreProtocol

/// Rules about sizes beyond statements, pages and 16-bit counters, in which the last row is
/// decisive.
enum SizeRules {
  /// The sizes above common limits of parameters: 999, 32,766 and 65,535.
  private static let sizes = [1_000, 32_767, 65_536]

  static let all: [Rule] = [
    .second(
      "LIMIT-008",
      "A save can insert, update or delete more than 65,535 rows, and a query return them.",
      manyChanges
    ),
    Rule(
      "LIMIT-009",
      "A predicate can contain more than 65,535 values.",
      needs: [.nativeFiltering],
      since: 2,
      longConditions
    ),
    .second(
      "LIMIT-010",
      "Rows, and related rows of owners, can be requested by more than 65,535 identifiers.",
      manyOwners
    ),
  ]

  private static func manyChanges(_ bench: StoreBench) throws {
    let count = 66_000
    let rows = try bench.insert("Passport", named: (0..<count).map { "p\($0)" })
    try expect("the different identifiers", Set(rows).count, equals: count)
    let last = StoreQuery(entity: "Passport", offset: count - 1)
    try expect("the last row", bench.names(last), equals: ["p\(count - 1)"])
    try bench.save(
      updating: rows.enumerated().map { try Sample.update($1, ["name": .string("q\($0)")]) }
    )
    let all = StoreQuery(entity: "Passport")
    let names = try bench.names(all)
    try expect("the names", names == (0..<count).map { "q\($0)" }, "those of all \(count) updates")
    try expect("the identifiers", bench.store.identifiers(all) == rows, "\(count) in order")
    try bench.save(deleting: Array(rows.dropFirst()))
    try expect("the rows after the deletion", bench.names(all), equals: ["q0"])
  }

  private static func longConditions(_ bench: StoreBench) throws {
    let keeper = try bench.insert("Person", ["name": .string("keeper")])
    try bench.insert("Specimen", ["name": .string("a"), "int64": .integer(7)])
    try bench.insert("Specimen", ["name": .string("b"), "string": .string("seven")])
    try bench.insert("Specimen", ["name": .string("c"), "double": .double(7.5)])
    try bench.insert("Exhibit", ["name": .string("d"), "keeper": .identifier(keeper)])
    for size in sizes {
      let range = 0..<(size - 1)
      let lists: [(String, String, StoreValue, String)] = [
        ("Specimen", "int64", .array(range.map { .integer(Int64($0 + 10)) } + [.integer(7)]), "a"),
        ("Specimen", "string", .array(range.map { .string("s\($0)") } + [.string("seven")]), "b"),
        ("Specimen", "double", .array(range.map { .double(Double($0)) } + [.double(7.5)]), "c"),
        ("Exhibit", "keeper", .identifiers(try missingRows(range, bench) + [keeper]), "d"),
      ]
      for (entity, name, list, expected) in lists {
        let query = StoreQuery(entity, where: .contains(.constant(list), .row(name)))
        let subject = "the rows whose \(name) is the last of \(size) values"
        try expect(subject, bench.names(query), equals: [expected])
        try expect("\(subject), counted", bench.store.count(query), equals: 1)
      }
    }
  }

  private static func manyOwners(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let dog = try bench.insert("Dog", ["owner": .identifier(owner)])
    try bench.update(owner, ["favourites": .identifiers([dog])])
    for size in sizes {
      let owners = try missingRows(0..<(size - 1), bench) + [owner]
      let found = try bench.names(.rows(owners, of: "Person"))
      try expect("the last of \(size) identifiers", found, equals: ["Ada"])
      for property in ["pets", "favourites"] where size == sizes.last {
        let members = try bench.store.members(of: property, in: "Person", owners: owners)
        try expect("\(property) of the last of \(size) owners", members, equals: [owner: [dog]])
      }
    }
  }

  /// Returns identifiers without a row.
  private static func missingRows(
    _ range: Range<Int>,
    _ bench: StoreBench
  ) throws -> [PersistentIdentifier] {
    let scope = PersistentIdentifier.Scope(
      storeIdentifier: try bench.store.identifier,
      entityName: "Person"
    )
    return range.map { PersistentIdentifier(scope: scope, key: .integer(Int64(1 << 40 + $0))) }
  }
}
