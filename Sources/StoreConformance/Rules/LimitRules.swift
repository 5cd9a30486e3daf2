import Foundation
import StoreProtocol

/// Rules about sizes that programs reach sooner or later.
enum LimitRules {
  /// The sizes above common limits of parameters: 999, 32,766 and 65,535.
  private static let sizes = [1_000, 32_767, 65_536]

  static let all: [Rule] = [
    Rule(
      "LIMIT-001",
      "A store can contain many rows of an entity: 3,000 in short runs, 100,000 in full ones.",
      manyRows
    ),
    Rule("LIMIT-002", "An entity can have a thousand properties.", manyProperties),
    Rule("LIMIT-003", "A save can contain many strings of a megabyte.", largeStrings),
    Rule("LIMIT-004", "Any string can be the name of an entity or a property.", anyNames),
    Rule(
      "LIMIT-007",
      "Names that differ only by case are distinguished, or rejected as invalid.",
      namesByCase
    ),
    Rule("LIMIT-006", "Structured values can be deeply nested.", deepValues),
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

  private static func manyRows(_ bench: StoreBench) throws {
    let count = bench.settings.count(short: 3_000, full: 100_000)
    let size = count / 5
    var last: PersistentIdentifier?
    for start in stride(from: 0, to: count, by: size) {
      last = try bench.insert("Passport", named: (start..<start + size).map { "p\($0)" }).last
    }
    let all = StoreQuery(entity: "Passport")
    try expect("the count", bench.store.count(all), equals: count)
    let window = StoreQuery(entity: "Passport", offset: count - 2, limit: 5)
    try expect("the last rows", bench.names(window), equals: ["p\(count - 2)", "p\(count - 1)"])
    guard let last else { return }
    try bench.update(last, ["name": .string("changed")])
    try bench.delete(last)
    try expect("the count after a deletion", bench.store.count(all), equals: count - 1)
    var seen = 0
    try bench.store.read(all) { _ in seen += 1 }
    try expect("the rows that are read", seen, equals: count - 1)
  }

  private static func manyProperties(_ bench: StoreBench) throws {
    let properties = (0..<1_000).map { SampleEntities.attribute("p\($0)", .int64) }
    let wide = StoreEntity(name: "Wide", properties: properties)
    try bench.open(Schema(storeSchema: StoreSchema(entities: [wide])))
    let values = (0..<1_000).map { StoreValue.integer(Int64($0)) }
    let record = Sample.record(of: wide, values)
    let row = try bench.insert([record])[0]
    try expect("the values", bench.record(row)?.values, equals: values)
    let changes = values.indices.map { StoreUpdate.Change($0, .integer(-Int64($0))) }
    try bench.save(updating: [StoreUpdate(identifier: row, changes: changes)])
    let negative = (0..<1_000).map { StoreValue.integer(-Int64($0)) }
    try expect("the values after an update", bench.record(row)?.values, equals: negative)
  }

  private static func largeStrings(_ bench: StoreBench) throws {
    let count = bench.settings.count(short: 3, full: 50)
    let texts = (0..<count).map { String(repeating: "text \($0) ", count: 150_000) }
    let rows = try bench.insert(
      texts.map { try Sample.record("Specimen", ["string": .string($0)]) }
    )
    for (row, text) in zip(rows, texts) {
      try expect(
        "a string of a megabyte",
        bench.value("string", of: row) == .string(text),
        "the saved string"
      )
    }
  }

  /// Reserved words of query languages, and names that differ only slightly.
  private static let names = [
    "select", "order", "rowid", "id", "key", "value", "entity", "name", "größe", "日本", "_x",
    "a b", "quo\"te", "it's", "x.y", "$", "version",
  ]

  private static func anyNames(_ bench: StoreBench) throws {
    let entities = ["table", "sqlite", "größe"].map { name in
      StoreEntity(
        name: name,
        properties: names.map { SampleEntities.attribute($0, .string) }
      )
    }
    try bench.open(Schema(storeSchema: StoreSchema(entities: entities)))
    for entity in entities {
      let values = names.map { StoreValue.string("\(entity.name) \($0)") }
      let row = try bench.insert([Sample.record(of: entity, values)])[0]
      let found = try bench.store.fetch(StoreQuery(entity: entity.name))
      try expect("the rows of \(entity.name)", found.map(\.persistentIdentifier), equals: [row])
      try expect("the values", found.first?.values, equals: values)
    }
  }

  private static func namesByCase(_ bench: StoreBench) throws {
    let names = ["name", "Name", "a", "A", "z", "Z", "_"]
    let properties = names.map { SampleEntities.attribute($0, .string) }
    let entity = StoreEntity(name: "Word", properties: properties)
    do {
      try bench.open(Schema(storeSchema: StoreSchema(entities: [entity])))
    } catch let error as DataStoreError
      where [.schemaMismatch, .invalidConfiguration, .unsupportedFeature].contains(error)
    {
      return
    }
    let values = names.map(StoreValue.string)
    let row = try bench.insert([Sample.record(of: entity, values)])[0]
    try expect("the values", bench.record(row)?.values, equals: values)
  }

  private static func deepValues(_ bench: StoreBench) throws {
    var value = StoreValue.integer(1)
    for level in 0..<60 {
      value = level.isMultiple(of: 2) ? .array([value]) : .composite([.init("in", value)])
    }
    let row = try bench.insert("Specimen", ["codable": value])
    try expect("the value", bench.value("codable", of: row) == value, "the value that was saved")
  }

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
