import Foundation
import SQLTranslation
import StoreProtocol

/// Binds the values of rows.
///
/// Values of the common types are bound directly. All others, and those that SQLite would not store
/// unchanged, are bound as in any other save.
final class RowBinder: RowWriter {
  /// The types of values that only need to be bound.
  private enum Kind: UInt8 {
    case other, number, double, text, date
  }

  /// The parameter of a property's value; parameter 0 is none.
  private struct Binding {
    var parameter = 0
    var kind = Kind.other
  }

  private let changes: ChangeWriter
  private let plan: WritePlan
  private let statement: Statement
  private let columns: [WriteColumn]
  private let firstParameter: Int
  private let bindings: [Binding]
  private var written = 0
  private var hasBegun = false

  /// Creates a binder for a statement with parameters for some consecutive columns.
  init(
    _ changes: ChangeWriter,
    _ plan: WritePlan,
    _ statement: Statement,
    columns: [WriteColumn],
    from firstParameter: Int
  ) {
    self.changes = changes
    self.plan = plan
    self.statement = statement
    self.columns = columns
    self.firstParameter = firstParameter
    var bindings = [Binding](repeating: Binding(), count: plan.map.entity.properties.count)
    for (number, column) in columns.enumerated() {
      let kind: Kind =
        switch column.type {
        case .int64: .number
        case .double: .double
        case .string: .text
        case .date: .date
        default: .other
        }
      bindings[column.property] = Binding(parameter: firstParameter + number, kind: kind)
    }
    self.bindings = bindings
  }

  /// Binds the values of a row; a value that its object does not provide is null.
  ///
  /// The closure binds the values that all rows share. The statement keeps them from row to row.
  func bind(
    _ position: Int,
    of source: any RowProducer,
    _ bindFixed: () throws -> Void
  ) throws {
    if !hasBegun {
      try bindFixed()
      hasBegun = true
    }
    written = 0
    source.write(position, to: self)
    if written < columns.count {
      statement.clear()
      try bindFixed()
      source.write(position, to: self)
    }
    if let failure { throw failure.error }
  }

  override func write(_ value: StoreValue, at index: Int) {
    let binding = bindings[index]
    guard binding.parameter > 0 else { return }
    attempt(index) {
      let column = columns[binding.parameter - firstParameter]
      _ = try changes.bind(value, to: column, plan, statement, at: binding.parameter)
    }
  }

  override func write(_ value: Int64, at index: Int) {
    let binding = bindings[index]
    guard binding.kind == .number else { return write(.integer(value), at: index) }
    attempt(index) { try statement.bind(value, at: binding.parameter) }
  }

  override func write(_ value: Double, at index: Int) {
    let binding = bindings[index]
    guard binding.kind == .double, value.isPlain else { return write(.double(value), at: index) }
    attempt(index) { try statement.bind(value, at: binding.parameter) }
  }

  override func write(_ value: Date, at index: Int) {
    let binding = bindings[index]
    let seconds = value.timeIntervalSinceReferenceDate
    guard binding.kind == .date, seconds.isPlain else { return write(.date(value), at: index) }
    attempt(index) { try statement.bind(seconds, at: binding.parameter) }
  }

  override func write(_ value: String, at index: Int) {
    let binding = bindings[index]
    guard binding.kind == .text else { return write(.string(value), at: index) }
    attempt(index) {
      let isExact = try statement.bind(scanning: value, at: binding.parameter)
      guard !isExact, !ExactText.isComposed(value) else { return }
      let column = columns[binding.parameter - firstParameter]
      try changes.mark(column.map, in: plan.map.table)
    }
  }

  override func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    let binding = bindings[index]
    guard binding.parameter > 0 else { return }
    attempt(index) {
      if let key = try key.flatMap({ try changes.number(of: $0, in: index, of: plan) }) {
        try statement.bind(key, at: binding.parameter)
      } else {
        try statement.bindNull(at: binding.parameter)
      }
    }
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    let binding = bindings[index]
    guard binding.parameter > 0 else { return }
    attempt(index) {
      if let keys, let order = try changes.order(of: keys, in: index, of: plan) {
        try statement.bind(KeyList.encoded(order), at: binding.parameter)
      } else {
        try statement.bindNull(at: binding.parameter)
      }
    }
  }

  /// Binds a value; the first failure is kept, since this method cannot throw.
  @inline(__always)
  private func attempt(_ index: Int, _ bind: () throws -> Void) {
    written += 1
    do {
      try bind()
    } catch {
      if failure == nil { failure = (index, error) }
    }
  }
}
