/// A store that reads rows by their numbers, and one row without a query.
///
/// An identifier has more than a number, which is the same from row to row: ``RowReader/scope`` says it
/// once. Programs also ask for one object after the other by its identifier, and the query costs more
/// than the row then.
package protocol RowReading: RecordStore {
  /// Reads the rows of a query in its order: what ``RecordStore/read(_:_:)`` does, which is its test
  /// oracle.
  ///
  /// - Parameters:
  ///   - query: What is asked.
  ///   - body: Takes each row; the reader is valid during the call only.
  /// - Throws: What the store and the body throw.
  func readRows(_ query: StoreQuery, _ body: (_ number: Int64, RowReader) throws -> Void) throws

  /// What reads single rows of an entity, and of those that inherit from it.
  ///
  /// - Parameter entity: The name of the entity.
  /// - Returns: The source, which outlives the call.
  /// - Throws: What the store throws for an entity that it lacks.
  func rowSource(of entity: String) throws -> any RowSource

  /// Runs a body whose reads of the store, on its thread, see one state where the store can give it.
  ///
  /// - Parameter body: Reads; it saves nothing.
  /// - Throws: What the store and the body throw.
  func readingOneState(_ body: () throws -> Void) throws
}

/// Reads rows of one entity, and of those that inherit from it, by their keys alone.
package protocol RowSource: AnyObject, Sendable {
  /// Reads a row, where there is one: what ``RowReading/readRows(_:_:)`` does for a query of
  /// ``StoreQuery/rows(_:of:)``, which is its test oracle.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - body: Takes the row; the reader is valid during the call only.
  /// - Throws: What the store and the body throw.
  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws
}

extension RowReading {
  /// Reads the rows of a query with their identifiers: ``RecordStore/read(_:_:)`` of such a store.
  package func readNamed(
    _ query: StoreQuery,
    _ body: (PersistentIdentifier, RowReader) throws -> Void
  ) throws {
    try readRows(query) { number, reader in
      let scope =
        reader.scope ?? .init(storeIdentifier: identifier, entityName: reader.entity.name)
      try body(PersistentIdentifier(scope: scope, key: .integer(number)), reader)
    }
  }

  package func readingOneState(_ body: () throws -> Void) throws { try body() }

  package func rowSource(of entity: String) throws -> any RowSource {
    QueriedRows(store: self, entity: entity)
  }
}

/// Reads single rows by queries.
private final class QueriedRows<Store: RowReading>: RowSource {
  private let store: Store
  private let scope: PersistentIdentifier.Scope

  init(store: Store, entity: String) {
    self.store = store
    scope = PersistentIdentifier.Scope(storeIdentifier: store.identifier, entityName: entity)
  }

  func readRow(_ key: Int64, _ body: (RowReader) throws -> Void) throws {
    let row = PersistentIdentifier(scope: scope, key: .integer(key))
    try store.readRows(.rows([row], of: scope.entityName)) { try body($1) }
  }
}
