import QueryEvaluation
import StoreProtocol

/// A stored row for the evaluator: the current row of a reader, or one that was read earlier.
struct StoredRow: QueryRow {
  private enum Source {
    case current(RowReader, EvaluationFailure)
    case record(DefaultSnapshot)
  }

  let identifier: PersistentIdentifier
  let entity: StoreEntity
  private let source: Source

  /// Creates a row that is valid until its reader moves on.
  init(
    current reader: RowReader,
    _ identifier: PersistentIdentifier,
    _ failure: EvaluationFailure
  ) {
    self.identifier = identifier
    entity = reader.entity
    source = .current(reader, failure)
  }

  /// Creates a row that was read completely.
  init(_ record: DefaultSnapshot, _ entity: StoreEntity) {
    identifier = record.persistentIdentifier
    self.entity = entity
    source = .record(record)
  }

  /// The record that the row was created from, or `nil` for a current row.
  var record: DefaultSnapshot? {
    if case .record(let record) = source { return record }
    return nil
  }

  func value(at index: Int) -> StoreValue {
    switch source {
    case .record(let record): return record.values[index]
    case .current(let reader, let failure):
      do {
        return try reader.value(at: index)
      } catch {
        failure.note(error)
        return .null
      }
    }
  }
}
