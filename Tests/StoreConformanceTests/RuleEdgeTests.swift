import OpenSwiftData
import Testing

@testable import StoreConformance

// Rules that once rejected conforming stores: what each must accept, and what it must reject.

@Suite struct `Rules for edge cases` {
  private func rule(_ id: String) throws -> Rule {
    try #require(Rule.all.first { $0.id == id })
  }

  /// Returns stores that compute the keys of new rows from the next key and the position in the batch.
  private func keys(
    _ key: @escaping @Sendable (_ next: Int64, _ position: Int64) -> Int64
  ) -> AlteredFixture<Fixtures.Memory> {
    AlteredFixture(Fixtures.Memory()) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        guard changes.keys.isEmpty, let next = try store.nextKey() else {
          return try store.apply(changes)
        }
        return try store.apply(
          changes.with { changes in
            for (position, record) in changes.inserted.enumerated() {
              changes.keys[record.persistentIdentifier] = key(next, Int64(position))
            }
          }
        )
      }
      return alterations
    }
  }

  @Test func `VERSION-001 names the number that it found`() throws {
    let name = "gives each save the same number"
    let saboteur = try #require(Saboteur.all.first { $0.name == name })
    let rule = try rule(saboteur.rule)
    let violation = #expect(throws: RuleViolation.self) { try saboteur.check(rule) }
    #expect(violation?.expected == "greater than 1")
    #expect(violation?.found == "1")
  }

  @Test
  func `UNIQUE-025 accepts keys with irregular gaps, and rejects a key for a merged record`()
    throws
  {
    let rule = try rule("UNIQUE-025")
    try rule.check(keys { next, position in next + position * position + 7 })
    #expect(throws: RuleViolation.self) { try rule.check(keys { $0 + $1 }) }
  }

  @Test func `LIMIT-001 accepts a limit of 3,000 rows in a short run, and rejects a lower one`()
    throws
  {
    let rule = try rule("LIMIT-001")
    #expect(rule.sentence.contains("3,000 in short runs"))
    func holding(_ limit: Int) -> AlteredFixture<Fixtures.Memory> {
      AlteredFixture(Fixtures.Memory()) {
        var alterations = Alterations()
        alterations.apply = { store, changes in
          let count = try store.count(StoreQuery(entity: "Passport"))
          guard count + changes.inserted.count <= limit else {
            throw DataStoreError(.io, "the store is full")
          }
          return try store.apply(changes)
        }
        return alterations
      }
    }
    try rule.check(holding(3_000))
    #expect(throws: RuleViolation.self) { try rule.check(holding(2_999)) }
  }

  @Test func `UNIQUE-003 leaves NaN to UNIQUE-110, and rejects nil that equals nil`() throws {
    func storing(
      _ change: @escaping @Sendable (StoreValue) -> StoreValue
    ) -> AlteredFixture<Fixtures.Memory> {
      AlteredFixture(Fixtures.Memory()) { .storing(change) }
    }
    let isNaN: @Sendable (StoreValue) -> Bool = {
      if case .double(let number) = $0 { number.isNaN } else { false }
    }
    // Each NaN becomes the same number, so that two of them are equal.
    let equalNaN = storing { isNaN($0) ? .double(-77) : $0 }
    try rule("UNIQUE-003").check(equalNaN)
    #expect(throws: RuleViolation.self) { try rule("UNIQUE-110").check(equalNaN) }
    let equalNil = try #require(Saboteur.all.first { $0.rule == "UNIQUE-003" })
    #expect(throws: RuleViolation.self) { try equalNil.check(rule("UNIQUE-003")) }
  }
}
