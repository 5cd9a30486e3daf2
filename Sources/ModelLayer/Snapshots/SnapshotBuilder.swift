import ModelRuntime
import StoreProtocol

/// Copies the values of an object and of those that it refers to.
///
/// The relationships of each object are followed once. The number of objects and links therefore
/// bounds the size of a snapshot, however they refer to each other.
struct SnapshotBuilder {
  private let followed: Set<AnyKeyPath>
  private var expanded: Set<ObjectIdentifier> = []
  private var path: Set<ObjectIdentifier> = []

  /// Begins a snapshot.
  ///
  /// - Parameter followed: The key paths of relationships in the form of their layouts.
  init(following followed: Set<AnyKeyPath>) {
    self.followed = followed
  }

  /// Returns the key paths of relationships in the form of their layouts.
  static func relationships(_ paths: [AnyKeyPath]) throws -> Set<AnyKeyPath> {
    try Set(paths.map(relationship))
  }

  /// Returns the key path of a relationship in the form of its layout.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for anything else.
  private static func relationship(_ path: AnyKeyPath) throws -> AnyKeyPath {
    guard let model = type(of: path).rootType as? any PersistentModel.Type else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "a snapshot includes relationships of models; \(type(of: path).rootType) is not a model"
      )
    }
    let layout = ModelLayout.of(model)
    guard let index = layout.index(leadingBy: path),
      layout.properties[index].shape != nil
    else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "a snapshot includes only relationships by key path; it always has all attributes",
        entity: layout.entityName,
        property: layout.propertyName(of: path)
      )
    }
    return layout.properties[index].keyPath
  }

  mutating func record(of model: any PersistentModel) throws -> SnapshotRecord {
    let layout = ModelLayout.of(type(of: model))
    // A stand-in never had a key; an object whose row no longer exists has its last values.
    guard !model._$state.flags.contains(.vanished) || model._$state.key != 0 else {
      throw SwiftDataError.modelValidationFailure.with(
        "\(model.persistentModelID) is not stored; there are no values for a snapshot",
        entity: layout.entityName
      )
    }
    let isFirst = expanded.insert(ObjectIdentifier(model)).inserted
    path.insert(ObjectIdentifier(model))
    defer { path.remove(ObjectIdentifier(model)) }
    let follows = isFirst && path.count <= SnapshotRecord.depthLimit
    var record = SnapshotRecord(layout, identifier: model.persistentModelID)
    if model._$state.version != 0 { record.version = model._$state.version }
    for (index, property) in layout.properties.enumerated() {
      if property.shape == nil {
        record.contents[index] = .value(try Self.attribute(index, of: model, layout))
      } else if follows, followed.contains(property.keyPath) {
        let objects = try Self.related(index, to: model, layout)
        record.contents[index] = .objects(try objects.map { try member($0) })
      } else {
        let objects = try Self.related(index, to: model, layout)
        record.contents[index] = .unfollowed(objects.map(\.persistentModelID))
      }
    }
    return record
  }

  private mutating func member(_ model: any PersistentModel) throws -> SnapshotRecord {
    guard path.contains(ObjectIdentifier(model)) else { return try record(of: model) }
    return SnapshotRecord(
      ModelLayout.of(type(of: model)),
      identifier: model.persistentModelID
    )
  }

  private static func attribute(
    _ index: Int,
    of model: any PersistentModel,
    _ layout: ModelLayout
  ) throws -> StoreValue {
    switch try content(of: index, in: model, layout) {
    case .value(let value): return value
    case .models, .fault, .reference: return .null
    case .failure(let error):
      throw SwiftDataError.modelValidationFailure.with(
        "the value cannot be encoded for a snapshot",
        entity: layout.entityName,
        property: layout.properties[index].name,
        cause: error
      )
    }
  }

  private static func related(
    _ index: Int,
    to model: any PersistentModel,
    _ layout: ModelLayout
  ) throws -> [any PersistentModel] {
    guard case .models(let models) = try content(of: index, in: model, layout) else { return [] }
    return models.filter { !$0.isDeleted }
  }

  /// Returns the content of a property after it is loaded; observers are notified of the read.
  ///
  /// - Throws: The error that the context kept of a failure to load it.
  private static func content(
    of index: Int,
    in model: any PersistentModel,
    _ layout: ModelLayout
  ) throws -> PropertyContent {
    let context = model.registration?.context
    let countBefore = context?.problems.count ?? 0
    if model.isObserved { layout.properties[index].read(on: model) }
    model.loadForRead(index)
    defer { model.endTemporaryRead(index) }
    if let context, context.problems.count > countBefore { throw context.problems.removeLast() }
    return PropertyReader.content(of: index, in: model)
  }
}
