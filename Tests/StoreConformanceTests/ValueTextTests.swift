import Foundation
import OpenSwiftData
import Testing

@testable import StoreConformance

@Suite struct ValueTextTests {
  private let notANumber = Date(timeIntervalSinceReferenceDate: .nan)

  @Test func `a date that is not a number ends no process, wherever a value contains it`() {
    let values: [Any] = [
      notANumber, Optional(notANumber) as Any, [notANumber], ["a": (1, notANumber)],
      StoreHistoryQuery(filter: .not(.timestamp(.less, notANumber))),
    ]
    for value in values { #expect(ValueText.text(value).contains("not a number")) }
    #expect(ValueText.text(StoreValue.date(notANumber)) == "date(nan)")
    #expect(ValueText.text([1, 2]) == "[1, 2]")
  }

  @Test func `a store whose saves have no time breaks the rule about it`() throws {
    let timeless = AlteredFixture(Fixtures.Memory()) { [notANumber] in
      .telling { transaction in
        StoreTransaction(
          number: transaction.number,
          saveIdentifier: transaction.saveIdentifier,
          timestamp: notANumber,
          author: transaction.author,
          changes: Array(transaction.changes)
        )
      }
    }
    let rule = try #require(Rule.all.first { $0.id == "HIST-024" })
    let violation = try #require(throws: RuleViolation.self) { try rule.check(timeless) }
    #expect(violation.description.contains("not a number"))
  }

  @Test func `a store that filters the history wrongly by such a date breaks the rule`() throws {
    let wrong = AlteredFixture(Fixtures.Memory()) {
      var alterations = Alterations()
      alterations.transactions = { store, query in
        if case .timestamp(.notEqual, _) = query.filter { return [] }
        return try store.transactions(query)
      }
      return alterations
    }
    let rule = try #require(Rule.all.first { $0.id == "HIST-007" })
    let violation = try #require(throws: RuleViolation.self) { try rule.check(wrong) }
    #expect(violation.description.contains("not a number"))
  }
}
