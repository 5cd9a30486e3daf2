import StoreProtocol

/// A stored row as the evaluator sees it: the row that a statement stands at, or one that was read.
struct StoredRow: QueryRow {
  private enum Source {
    case current(StatementRowReader, RowFailure)
    case record(DefaultSnapshot)
  }

  let identifier: PersistentIdentifier
  let entity: StoreEntity
  private let source: Source

  /// A row that is valid until its statement moves on.
  init(
    current reader: StatementRowReader,
    _ identifier: PersistentIdentifier,
    _ failure: RowFailure
  ) {
    self.identifier = identifier
    entity = reader.entity
    source = .current(reader, failure)
  }

  /// A row that was read whole.
  init(_ record: DefaultSnapshot, _ entity: StoreEntity) {
    identifier = record.persistentIdentifier
    self.entity = entity
    source = .record(record)
  }

  /// The record that the row was made from, nil for a current row.
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

/// The first error that a row met while the evaluator read it, which cannot throw there.
final class RowFailure {
  private var error: (any Error)?

  func note(_ error: any Error) {
    if self.error == nil { self.error = error }
  }

  /// Throws the error, if there was one.
  func check() throws {
    if let error { throw error }
  }
}
