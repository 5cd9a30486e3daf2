import StoreProtocol

/// Rules about versions, by which a save detects an earlier one.
enum VersionRules {
  static let all: [Rule] = [
    rule(
      "VERSION-002",
      "The version of a row is the number of the save that last changed it.",
      lastSave
    ),
    rule("VERSION-007", "A row with the expected version is updated or deleted.", expected),
    rule("VERSION-008", "A row with another version is neither updated nor deleted.", outdated),
    rule("VERSION-009", "A deleted row has no expected version.", missing),
    rule(
      "VERSION-010",
      "If one version differs from the expected one, nothing of the batch is stored.",
      whole
    ),
    rule("VERSION-013", "Rows keep their versions when many others are deleted.", deletions),
    Rule(
      "VERSION-014",
      "A version that a row had before its last change is still outdated after reopening.",
      needs: [.versions, .durability],
      since: 2,
      keptVersions
    ),
  ]

  private static let rule = Rule.making(needs: [.versions])

  private static func name(_ text: String) -> [String: StoreValue] { ["name": .string(text)] }

  private static func outdated(_ bench: StoreBench) throws {
    let row = try bench.insert("Cat", name("a"))
    let version = try bench.version(of: row)
    try bench.update(row, name("theirs"))
    let now = try bench.version(of: row)
    for other in [version, now + 1, 0] {
      try expect("a change", throws: .conflict) {
        try bench.save(
          updating: [Sample.update(row, name("mine"))],
          expecting: [row: other]
        )
      }
      try expect("a deletion", throws: .conflict) {
        try bench.save(deleting: [row], expecting: [row: other])
      }
    }
    try expect("the rows", bench.names(of: "Cat"), equals: ["theirs"])
    try expect("the version", bench.version(of: row), equals: now)
  }

  private static func deletions(_ bench: StoreBench) throws {
    let rows = try bench.insert("Group", named: (0..<2_000).map { "\($0)" })
    try bench.update(rows[1_999], ["year": .integer(1)])
    let left = [rows[0], rows[1_998], rows[1_999]]
    let versions = try left.map { try bench.version(of: $0) }
    try bench.save(deleting: Array(rows[1..<1_998]))
    let now = try left.map { try bench.version(of: $0) }
    try expect("the versions", now, equals: versions)
  }

  private static func keptVersions(_ bench: StoreBench) throws {
    let rows = try bench.insert("Person", named: ["a", "b"])
    var outdated: [(PersistentIdentifier, Int64)] = []
    for age in 0..<4 {
      let row = rows[age % 2]
      outdated.append((row, try bench.version(of: row)))
      try bench.update(row, ["age": .integer(Int64(age))])
    }
    for _ in 0..<2 {
      try bench.reopen()
      let now = try rows.map { try bench.version(of: $0) }
      try expect("the versions, read again", rows.map { try bench.version(of: $0) }, equals: now)
      for (row, version) in outdated {
        try expect("a change of \(row) at version \(version)", throws: .conflict) {
          try bench.save(updating: [Sample.update(row, name("x"))], expecting: [row: version])
        }
      }
    }
    try expect("the rows", bench.names(of: "Person"), equals: ["a", "b"])
  }

  private static func lastSave(_ bench: StoreBench) throws {
    let records = try [Sample.record("Person", name("Ada")), Sample.record("Puppy", name("Bo"))]
    let first = try bench.save(inserting: records)
    let rows = try records.map { try first.identifier(of: $0) }
    for row in rows {
      try expect("a new row", bench.version(of: row), equals: first.version)
    }
    let second = try bench.save(updating: [Sample.update(rows[1], name("Bobo"))])
    try expect("the changed row", bench.version(of: rows[1]), equals: second.version)
    try expect("the other row", bench.version(of: rows[0]), equals: first.version)
    let owner = try Sample.update(rows[1], ["owner": .identifier(rows[0])])
    let third = try bench.save(updating: [owner])
    try expect("a row with a new reference", bench.version(of: rows[1]), equals: third.version)
  }

  private static func expected(_ bench: StoreBench) throws {
    let rows = try bench.insert("Cat", named: ["a", "b", "c"])
    let versions = try rows.prefix(2).map { ($0, try bench.version(of: $0)) }
    try bench.update(rows[2], name("changed"))
    let result = try bench.save(
      updating: [Sample.update(rows[0], name("x")), Sample.update(rows[2], name("y"))],
      deleting: [rows[1]],
      expecting: Dictionary(lastOf: versions)
    )
    try expect("the rows", bench.names(of: "Cat"), equals: ["x", "y"])
    try bench.save(
      updating: [Sample.update(rows[0], name("z"))],
      expecting: [rows[0]: result.version]
    )
    try expect("the rows", bench.names(of: "Cat"), equals: ["z", "y"])
  }

  private static func whole(_ bench: StoreBench) throws {
    let rows = try bench.insert("Person", named: ["Ada", "Bob", "Cid"])
    let old = try bench.version(of: rows[0])
    for row in rows { try bench.update(row, ["age": .integer(1)]) }
    let versions = try rows.map { try bench.version(of: $0) }
    for outdated in rows {
      var expected = Dictionary(lastOf: zip(rows, versions))
      expected[outdated] = old
      try expect("the batch", throws: .conflict) {
        try bench.save(
          inserting: [Sample.record("Person", name("new"))],
          updating: [Sample.update(rows[0], name("x")), Sample.update(rows[2], name("y"))],
          deleting: [rows[1]],
          expecting: expected
        )
      }
    }
    try expect("the rows", bench.names(of: "Person"), equals: ["Ada", "Bob", "Cid"])
    let now = try rows.map { try bench.version(of: $0) }
    try expect("the versions", now, equals: versions)
  }

  private static func missing(_ bench: StoreBench) throws {
    let row = try bench.insert("Cat", name("a"))
    let version = try bench.version(of: row)
    try bench.delete(row)
    try expect("a change", throws: .conflict) {
      try bench.save(updating: [Sample.update(row, name("x"))], expecting: [row: version])
    }
    try expect("a deletion", throws: .conflict) {
      try bench.save(deleting: [row], expecting: [row: version])
    }
  }
}
