import ModelRuntime
import StoreProtocol

/// A snapshot's record as a row, from which an object can be created.
final class SnapshotRow: RowReader {
  private let record: SnapshotRecord
  private let targets: [Int: any PersistentModel]
  private let placeholders: PlaceholderReader

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - record: The values of the object; missing properties have initial or placeholder values.
  ///   - targets: The objects of to-one relationships.
  ///   - entity: The entity for messages.
  init(_ record: SnapshotRecord, targets: [Int: any PersistentModel], entity: StoreEntity) {
    self.record = record
    self.targets = targets
    placeholders = PlaceholderReader(layout: record.layout, entity: entity)
    super.init(entity: entity)
  }

  override func value(at index: Int) throws -> StoreValue {
    guard record.contents.indices.contains(index) else { return .null }
    if case .value(let value) = record.contents[index] { return value }
    return try placeholders.value(at: index)
  }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? { nil }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? {
    if let target = targets[index] { return [target] }
    // A required to-one relationship is left unset, to be set later or reported as missing.
    let isRequired = record.layout.properties[index].shape.map { !$0.isToMany && !$0.isOptional }
    return isRequired == true ? nil : []
  }
}

extension SnapshotRecord {
  /// Returns an object with the values of the record that belongs to no context, for computed
  /// properties.
  ///
  /// Objects of relationships that the record contains are created too.
  func detachedObject(depth: Int = 0) -> (any PersistentModel)? {
    guard depth < Self.depthLimit else { return nil }
    var targets: [Int: any PersistentModel] = [:]
    var lists: [Int: [any PersistentModel]] = [:]
    for (index, content) in contents.enumerated() {
      guard case .objects(let records) = content else { continue }
      let objects = records.compactMap { $0.detachedObject(depth: depth + 1) }
      if layout.properties[index].shape?.isToMany == true {
        lists[index] = objects
      } else {
        targets[index] = objects.first
      }
    }
    let row = SnapshotRow(self, targets: targets, entity: .unnamed)
    guard let model = try? layout.type.init(_$row: row) else { return nil }
    for (index, objects) in lists {
      try? PropertySetter.put(.models(objects), into: index, of: model)
    }
    model.modelExtra.identifier = identity
    return model
  }
}
