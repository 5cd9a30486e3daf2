import Foundation
import StoreProtocol

/// The intermediate state of an aggregate over a group: the one definition of the meaning of
/// ``StoreSelection/Function``.
package struct AggregateAccumulator {
  private let function: StoreSelection.Function
  private let type: AttributeType
  private var count = 0
  private var integers: Int128 = 0
  private var reals = ExactSum()
  private var decimals = Decimal(0)
  private var extreme = StoreValue.null
  private var distinct: Set<GroupKey> = []

  /// Creates an accumulator without values.
  ///
  /// - Throws: ``DataStoreError/invalidPredicate`` for a sum or average of values that are not
  ///   numbers.
  package init(_ function: StoreSelection.Function, of type: AttributeType) throws {
    self.function = function
    self.type = type
    if function == .sum || function == .average, !type.isNumber {
      throw DataStoreError(
        .invalidPredicate,
        "values of type \(type.rawValue) have no \(function.rawValue)"
      )
    }
  }

  /// Adds a value; nil is ignored.
  package mutating func add(_ value: StoreValue) {
    if value.isNull { return }
    switch function {
    case .count: count += 1
    case .distinctCount: distinct.insert(GroupKey([value]))
    case .sum, .average: addNumber(value)
    case .minimum:
      if extreme.isNull || StoreValue.sortOrder(value, extreme) < 0 { extreme = value }
    case .maximum:
      if extreme.isNull || StoreValue.sortOrder(value, extreme) > 0 { extreme = value }
    }
  }

  /// Adds the sum of a number of integers.
  package mutating func add(_ sum: Int128, over count: Int) {
    integers += sum
    self.count += count
  }

  /// Adds the sum of a number of decimals.
  package mutating func add(_ sum: Decimal, over count: Int) {
    decimals += sum
    self.count += count
  }

  private mutating func addNumber(_ value: StoreValue) {
    count += 1
    switch value {
    case .integer(let number): integers += Int128(number)
    case .unsigned(let number): integers += Int128(number)
    case .double(let number): reals.add(number)
    case .decimal(let number): decimals += number
    default: count -= 1
    }
  }

  /// Returns the result over all values so far.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a sum of integers that does not fit into an
  ///   `Int64`.
  package func result() throws -> StoreValue {
    switch function {
    case .count: .integer(Int64(count))
    case .distinctCount: .integer(Int64(distinct.count))
    case .minimum, .maximum: extreme
    case .sum: try sum()
    case .average: count == 0 ? .null : average()
    }
  }

  private func sum() throws -> StoreValue {
    switch type {
    case .decimal: return .decimal(decimals)
    case .float, .double: return .double(reals.value)
    default:
      guard let result = Int64(exactly: integers) else {
        throw DataStoreError(.invalidValue, "the sum \(integers) does not fit into 64 bits")
      }
      return .integer(result)
    }
  }

  private func average() -> StoreValue {
    switch type {
    case .decimal: .decimal(decimals / Decimal(count))
    case .float, .double: .double(reals.value / Double(count))
    default: .double(Double(integers) / Double(count))
    }
  }
}
