import Foundation
import SQLTranslation
import StoreProtocol

/// Binds the values of the rows of a run.
///
/// Values of the common types are bound directly. All others, and those that SQLite would not store
/// unchanged, are converted first. What a row needs beyond its statement waits for ``finish(_:)``.
final class RowBinder: RowWriter {
  /// The types of values that only need to be bound.
  private enum Kind: UInt8 {
    case other, number, double, text, date
  }

  /// The parameter of a property's value; parameter 0 is none.
  private struct Binding {
    var parameter = 0
    var kind = Kind.other
    var isSearched = false
  }

  private let changes: ChangeWriter
  private let plan: WritePlan
  private let statement: Statement
  let producer: any RowProducer
  private let columns: [WriteColumn]
  private let firstParameter: Int
  private let isNew: Bool
  private let bindings: [Binding]
  /// The relationships with tables of their own.
  private let joins: [(property: Int, join: JoinMap)]
  @exclusivity(unchecked) private var written = 0
  /// Whether nothing of the current row waits for ``finish(_:)``.
  @exclusivity(unchecked) private(set) var isComplete = true
  private var waiting: [(column: WriteColumn, value: StoreValue)] = []
  private var lists: [(property: Int, value: StoreValue)] = []
  private var texts: [(property: Int, text: String)] = []

  /// Creates a binder of new rows, or of changed ones, and binds the values that all rows share.
  init(
    _ run: RowRun,
    _ plan: WritePlan,
    _ statement: Statement,
    _ changes: ChangeWriter,
    updating update: UpdatePlan? = nil
  ) throws {
    self.changes = changes
    self.plan = plan
    self.statement = statement
    columns = update?.columns ?? plan.columns
    firstParameter = update == nil ? plan.firstColumn : 1
    joins = update?.joins ?? plan.joins
    isNew = update == nil
    producer = run.values(for: plan.map.entity)
    var bindings = [Binding](repeating: Binding(), count: plan.map.entity.properties.count)
    for (number, column) in columns.enumerated() {
      let kind: Kind =
        switch column.type {
        case .int64: .number
        case .double: .double
        case .string where !column.isExternal: .text
        case .date: .date
        default: .other
        }
      bindings[column.property] = Binding(
        parameter: firstParameter + number,
        kind: kind,
        isSearched: isNew && plan.searches.contains { $0.property == column.property }
      )
    }
    self.bindings = bindings
    super.init()
    try bindFixed()
  }

  /// Binds the values of a row; a value that its producer does not provide is null.
  func bind(_ position: Int) throws {
    write(position)
    if written < columns.count {
      statement.clear()
      try bindFixed()
      write(position)
    }
    if let failure { throw failure.error }
  }

  private func write(_ position: Int) {
    written = 0
    if !isComplete {
      waiting.removeAll(keepingCapacity: true)
      lists.removeAll(keepingCapacity: true)
      texts.removeAll(keepingCapacity: true)
      isComplete = true
    }
    producer.write(position, to: self)
  }

  /// Binds the values that all rows share; the statement keeps them from row to row.
  private func bindFixed() throws {
    guard isNew else { return try statement.bind(changes.version, at: columns.count + 1) }
    if let name = plan.entityName { try statement.bind(name, at: 2) }
    try statement.bind(changes.version, at: firstParameter - 1)
  }

  /// Completes the row that was written.
  func finish(_ key: Int64) throws {
    changes.waiting += waiting.map { column, value in
      WaitingValue(key: key, plan: plan, column: column, value: value)
    }
    for (property, value) in lists {
      guard let join = joins.first(where: { $0.property == property })?.join else { continue }
      changes.lists.append(
        WaitingList(
          owner: key,
          join: join,
          plan: plan,
          property: property,
          value: value,
          isOfNewRow: isNew
        )
      )
    }
    for (property, text) in texts {
      for (searched, index) in plan.searches where searched == property {
        try changes.search?.insert(text, key, into: index)
      }
    }
  }

  override func write(_ value: StoreValue, at index: Int) {
    let binding = bindings[index]
    guard binding.parameter > 0 else { return noteList(value, at: index) }
    if binding.isSearched, case .string(let text) = value { noteText(text, at: index) }
    attempt(index) { try bind(value, binding) }
  }

  private func bind(_ value: StoreValue, _ binding: Binding) throws {
    let column = columns[binding.parameter - firstParameter]
    let isBound = try changes.bind(value, to: column, plan, statement, at: binding.parameter)
    if !isBound {
      waiting.append((column, value))
      isComplete = false
    }
  }

  /// Keeps a string that an index of words needs.
  private func noteText(_ text: String, at index: Int) {
    texts.append((index, text))
    isComplete = false
  }

  /// Keeps the related objects of a relationship with a table of its own; a new row has none yet.
  private func noteList(_ value: StoreValue, at index: Int) {
    guard !joins.isEmpty, !isNew || !value.isNull, joins.contains(where: { $0.property == index })
    else { return }
    lists.append((index, value))
    isComplete = false
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
    if binding.isSearched { noteText(value, at: index) }
    attempt(index) {
      let isExact = try statement.bind(scanning: value, at: binding.parameter)
      guard !isExact, !ExactText.isComposed(value) else { return }
      let column = columns[binding.parameter - firstParameter]
      try changes.mark(column.map, in: plan.map.table)
    }
  }

  override func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    guard let key else { return write(.null, at: index) }
    let binding = bindings[index]
    guard binding.parameter > 0 else { return }
    guard !plan.hasUniqueReferences, let row = changes.key(of: key) else {
      return write(.identifier(identifier(key)), at: index)
    }
    attempt(index) { try statement.bind(row, at: binding.parameter) }
  }

  override func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    write(keys.map { .identifiers($0.map(identifier)) } ?? .null, at: index)
  }

  /// Returns the identifier of a related row; only its key counts.
  private func identifier(_ key: PersistentIdentifier.Key) -> PersistentIdentifier {
    PersistentIdentifier(scope: plan.scope, key: key)
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
