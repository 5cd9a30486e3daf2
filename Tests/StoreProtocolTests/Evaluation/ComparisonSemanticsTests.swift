import Foundation
import StoreProtocol
import Testing

@Suite("Comparisons of stored values")
struct ComparisonSemanticsTests {
  @Test func `strings are equal by canonical equivalence and ordered as in Swift`() {
    for a in HardValues.texts {
      for b in HardValues.texts {
        #expect(StoreValue.string(a).isEqual(to: .string(b)) == (a == b))
        let order = StoreValue.sortOrder(.string(a), .string(b))
        #expect((order < 0, order == 0) == (a < b, a == b))
      }
    }
  }

  @Test func `doubles compare as in Swift, and NaN sorts last`() throws {
    for a in HardValues.doubles {
      for b in HardValues.doubles {
        let (first, second) = (StoreValue.double(a), StoreValue.double(b))
        #expect(first.isEqual(to: second) == (a == b))
        #expect(
          try EvaluatorSample.holds(.compare(.less, .value, .other), first, second) == (a < b)
        )
        #expect(
          try EvaluatorSample.holds(.compare(.greaterOrEqual, .value, .other), first, second)
            == (a >= b)
        )
        if !a.isNaN, !b.isNaN {
          #expect((StoreValue.sortOrder(first, second) < 0) == (a < b))
        }
      }
    }
    #expect(StoreValue.sortOrder(.double(.nan), .double(.infinity)) > 0)
    #expect(StoreValue.sortOrder(.double(.nan), .double(-.nan)) == 0)
    #expect(StoreValue.sortOrder(.null, .double(-.infinity)) < 0)
  }

  @Test func `numbers of different types compare exactly`() {
    let big: Int64 = (1 << 53) + 1
    #expect(!StoreValue.integer(big).isEqual(to: .double(9_007_199_254_740_992)))
    #expect(StoreValue.sortOrder(.integer(big), .double(9_007_199_254_740_992)) > 0)
    #expect(StoreValue.integer(3).isEqual(to: .double(3)))
    #expect(StoreValue.sortOrder(.integer(3), .double(3.5)) < 0)
    #expect(StoreValue.sortOrder(.double(-3.5), .integer(-3)) < 0)
    #expect(StoreValue.sortOrder(.integer(.max), .unsigned(1 << 63)) < 0)
    #expect(StoreValue.sortOrder(.unsigned(.max), .double(.infinity)) < 0)
    #expect(StoreValue.sortOrder(.integer(-1), .unsigned(.max)) < 0)
    #expect(StoreValue.decimal(3).isEqual(to: .integer(3)))
  }

  @Test func `nil equals only nil and has no order`() throws {
    let comparisons: [(QueryExpression.Comparison, Bool, Bool)] = [
      (.equal, true, false), (.notEqual, false, true), (.less, false, false),
      (.lessOrEqual, false, false), (.greater, false, false), (.greaterOrEqual, false, false),
    ]
    for (comparison, both, one) in comparisons {
      let test = QueryExpression.compare(comparison, .value, .other)
      #expect(try EvaluatorSample.holds(test) == both)
      #expect(try EvaluatorSample.holds(test, .integer(1)) == one)
      let constant = QueryExpression.compare(comparison, .value, .constant(.integer(1)))
      #expect(try EvaluatorSample.holds(constant) == one)
      let flipped = QueryExpression.compare(comparison, .constant(.null), .value)
      #expect(try EvaluatorSample.holds(flipped) == both)
    }
  }

  @Test func `objects are equal by store and key`() {
    let one = EvaluatorSample.identifier(1)
    func identifier(ofStore store: String?) -> PersistentIdentifier {
      PersistentIdentifier(
        scope: PersistentIdentifier.Scope(storeIdentifier: store, entityName: "Base"),
        key: .integer(1)
      )
    }
    let other = identifier(ofStore: one.storeIdentifier)
    #expect(!StoreValue.identifier(one).isEqual(to: .identifier(identifier(ofStore: "another"))))
    #expect(StoreValue.identifier(one).isEqual(to: .identifier(other)))
    #expect(!StoreValue.identifier(one).isEqual(to: .identifier(EvaluatorSample.identifier(2))))
    #expect(StoreValue.identifiers([one]).isEqual(to: .array([.identifier(other)])))
  }

  @Test func `composites are equal regardless of nil components and order`() {
    let full = StoreValue.composite([.init("a", .integer(1)), .init("b", .null)])
    let short = StoreValue.composite([.init("a", .double(1))])
    let turned = StoreValue.composite([.init("b", .null), .init("a", .integer(1))])
    #expect(full.isEqual(to: short))
    #expect(full.isEqual(to: turned))
    #expect(!full.isEqual(to: .composite([.init("b", .integer(1))])))
    #expect(!full.isEqual(to: .composite([])))
  }

  @Test func `dates, bytes and identifiers have an order`() {
    let dates = HardValues.dates.sorted()
    for (first, second) in zip(dates, dates.dropFirst()) {
      #expect(StoreValue.sortOrder(.date(first), .date(second)) <= 0)
    }
    #expect(StoreValue.sortOrder(.data(Data([1, 2])), .data(Data([1, 2, 0]))) < 0)
    #expect(StoreValue.sortOrder(.bool(false), .bool(true)) < 0)
    let low = UUID(uuid: (0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    let high = UUID(uuid: (200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    #expect(StoreValue.sortOrder(.uuid(low), .uuid(high)) < 0)
  }

  @Test func `all values have a total order`() {
    let values: [StoreValue] =
      [.null, .bool(true), .data(Data()), .array([.null]), .array([]), .composite([])]
      + HardValues.doubles.map(StoreValue.double) + HardValues.integers.map { .integer(Int64($0)) }
      + HardValues.texts.map(StoreValue.string) + HardValues.dates.map(StoreValue.date)
    for a in values {
      for b in values {
        #expect(StoreValue.sortOrder(a, b).signum() == -StoreValue.sortOrder(b, a).signum())
        for c in values where StoreValue.sortOrder(a, b) <= 0 && StoreValue.sortOrder(b, c) <= 0 {
          #expect(StoreValue.sortOrder(a, c) <= 0, "\(a) \(b) \(c)")
        }
      }
    }
  }
}
