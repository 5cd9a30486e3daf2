import ModelRuntime
import StoreProtocol

/// Takes the values of a model as a record.
final class SnapshotWriter: RowWriter {
  private var values: [StoreValue] = []

  /// The record of a model.
  static func record(of model: any PersistentModel, _ entity: StoreEntity) throws -> DefaultSnapshot
  {
    let writer = SnapshotWriter()
    writer.values = entity.properties.map { _ in .null }
    for index in entity.properties.indices { model._$write(index, to: writer) }
    if let failure = writer.failure { throw failure.error }
    return DefaultSnapshot(
      persistentIdentifier: model.persistentModelID,
      entity: entity,
      values: writer.values
    )
  }

  override func write(_ value: StoreValue, at index: Int) { values[index] = value }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    values[index] = model.map { .identifier($0.persistentModelID) } ?? .null
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    values[index] = .identifiers(models?.map(\.persistentModelID) ?? [])
  }
}
