import StoreProtocol

/// Rules about versions, by which a save detects an earlier one.
enum VersionRules {
  static let all: [Rule] = [
    rule("VERSION-008", "A row with another version is neither updated nor deleted.", outdated),
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
}
