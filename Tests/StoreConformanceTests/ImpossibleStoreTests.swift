import Foundation
import OpenSwiftData
import Testing

@testable import StoreConformance

/// Examples of stores that cannot conform according to the contract's page, with its rules.
@Suite struct `Stores that cannot conform break the rules that the page lists` {
  private func report(
    _ alterations: @escaping @Sendable () -> Alterations,
    _ rules: Set<String>
  ) throws -> ConformanceReport {
    try ConformanceRun(AlteredFixture(Fixtures.Memory(), alterations)).report {
      rules.contains($0.id)
    }
  }

  private func page() throws -> Substring {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Documentation/StoreContract.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "## Stores that cannot conform"))
    return text[start.lowerBound...].dropFirst(2).prefix { $0 != "#" }
  }

  @Test func `a read-only store fails at the first save`() throws {
    let report = try report(
      {
        var alterations = Alterations()
        alterations.apply = { _, _ in throw DataStoreError(.storeReadOnly, "read-only") }
        return alterations
      },
      ["IDENT-001"]
    )
    #expect(report.start?.subject.contains("saving one new row") == true)
    #expect(report.text.contains("Stores that cannot conform"))
    #expect(try page().contains("Read-only stores"))
  }

  @Test func `a store with unordered keys fails the rules of row order`() throws {
    let report = try report(
      {
        .giving { rows, _, query in
          query.sort.isEmpty ? rows.sorted { $0.scrambled < $1.scrambled } : rows
        }
      },
      ["IDENT-002", "SORT-001", "SORT-003", "VALUE-113"]
    )
    #expect(report.failures.map(\.rule.id) == ["IDENT-002", "SORT-001"])
    for rule in report.failures { #expect(try page().contains(rule.rule.id)) }
  }

  @Test func `a store without relationships fails when it opens the suite's schema`() throws {
    let report = try report(
      {
        var alterations = Alterations()
        alterations.schema = { schema in
          let entities = schema?.storeSchema.entities ?? []
          if entities.contains(where: { $0.properties.contains { $0.relationship != nil } }) {
            throw DataStoreError(.unsupportedFeature, "this store has no relationships")
          }
          return schema
        }
        return alterations
      },
      ["REL-001"]
    )
    #expect(report.start?.subject.contains("opening a new store") == true)
    #expect(try page().contains("Stores without relationships"))
  }

  @Test func `an eventually consistent store fails the rule that a save is visible`() throws {
    let report = try report(
      {
        // Each state becomes visible one save late.
        let states = Shared<[String: [[DefaultSnapshot]]]>([:])
        var alterations = Alterations.giving { rows, _, query in
          guard query.entity == "Exhibit", rows.count == 2 else { return rows }
          return states.withLock { states in
            states[query.entity, default: []].append(rows)
            return states[query.entity]?.suffix(3).first ?? rows
          }
        }
        alterations.count = nil
        return alterations
      },
      ["CONC-005"]
    )
    #expect(report.failures.map(\.rule.id) == ["CONC-005"])
    #expect(try page().contains("CONC-005"))
  }
}

extension DefaultSnapshot {
  /// A number that is independent of the order of insertion, like a random key.
  fileprivate var scrambled: UInt64 {
    UInt64(bitPattern: persistentIdentifier.integerKey ?? 0) &* 0x9E37_79B9_7F4A_7C15
  }
}
