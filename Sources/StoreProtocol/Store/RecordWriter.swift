/// A writer that collects the values of one row after another.
///
/// References have the identifiers of their objects, or of the entity that the relationship names.
package final class RecordWriter: RowWriter {
  /// The values of the current row by the indices of its properties; null if they were not written.
  package private(set) var values: [StoreValue]
  let entity: StoreEntity
  private let storeIdentifier: String?
  private let names: NewRowNames?

  /// Creates a writer for rows of an entity.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - storeIdentifier: The identifier of the store, for references to its rows.
  ///   - names: The entities of the new rows of the batch.
  package init(_ entity: StoreEntity, in storeIdentifier: String?, _ names: NewRowNames? = nil) {
    self.entity = entity
    self.names = names
    self.storeIdentifier = storeIdentifier
    values = Array(repeating: .null, count: entity.properties.count)
  }

  /// Reads the values of a row.
  package func read(_ position: Int, of producer: any RowProducer) {
    for index in values.indices { values[index] = .null }
    producer.write(position, to: self)
  }

  override package func write(_ value: StoreValue, at index: Int) {
    if values.indices.contains(index) { values[index] = value }
  }

  override package func write(reference key: PersistentIdentifier.Key?, at index: Int) {
    write(key.map { .identifier(identifier($0, at: index)) } ?? .null, at: index)
  }

  override package func write(references keys: [PersistentIdentifier.Key]?, at index: Int) {
    write(keys.map { .identifiers($0.map { identifier($0, at: index) }) } ?? .null, at: index)
  }

  override package func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    guard let model else { return super.write(nil, key: key, at: index) }
    write(identifier(of: model, at: index).map(StoreValue.identifier) ?? .null, at: index)
  }

  override package func write(_ models: [any PersistentModel]?, at index: Int) {
    let members = models?.compactMap { identifier(of: $0, at: index) }
    write(members.map(StoreValue.identifiers) ?? .null, at: index)
  }

  private func identifier(of model: any PersistentModel, at index: Int) -> PersistentIdentifier? {
    if let registration = model._$state.registration, Self.key(of: model) != nil {
      return registration.identifier(of: model)
    }
    return Self.key(of: model).map { identifier($0, at: index) }
  }

  private func identifier(
    _ key: PersistentIdentifier.Key,
    at index: Int
  ) -> PersistentIdentifier {
    let destination = entity.properties[index].relationship?.destination ?? entity.name
    if case .temporary(let number) = key {
      return PersistentIdentifier(key, of: names?[number] ?? destination)
    }
    return PersistentIdentifier(key, of: destination, in: storeIdentifier)
  }
}

extension RowRun {
  /// Calls a closure with the identifier of each row, and its values by the indices of an entity's
  /// properties.
  ///
  /// Values that the run does not change are null. References to new rows have the entity that the
  /// relationship names (``StoreChanges/recorded`` has the entities of the rows).
  public func forEachRow(
    of entity: StoreEntity,
    _ body: (PersistentIdentifier, [StoreValue]) throws -> Void
  ) rethrows {
    let writer = RecordWriter(entity, in: storeIdentifier)
    let producer = values(for: entity)
    for (position, identifier) in identifiers.enumerated() {
      writer.read(position, of: producer)
      try body(identifier, writer.values)
    }
  }
}

/// The entities of the new rows of a batch, which a producer that writes only a key does not name.
package final class NewRowNames {
  private let insertions: [RowRun]
  private lazy var entities = Dictionary(
    lastOf: insertions.flatMap { run in
      run.identifiers.indices.compactMap { position in
        run.identifiers.temporaryNumber(at: position).map { ($0, run.entityName) }
      }
    }
  )

  init(_ insertions: [RowRun]) { self.insertions = insertions }

  subscript(number: Int64) -> String? { entities[number] }
}
