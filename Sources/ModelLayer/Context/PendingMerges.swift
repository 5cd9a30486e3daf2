import ModelRuntime
import QueryEvaluation
import StoreProtocol

/// The merges of unsaved new objects at the next save, where unique values determine them.
///
/// A new object with the unique values of a stored one becomes an update of it. Of two new ones,
/// the later becomes an update of the earlier. A fetch that includes pending changes returns the
/// new object in place of the other.
struct PendingMerges {
  /// The objects that will be merged into others.
  private(set) var replaced: Set<ObjectIdentifier> = []
  /// The objects that will be merged into others, as a list.
  private(set) var replacedModels: [any PersistentModel] = []
  /// The objects that they will be merged into.
  private(set) var successors: [ObjectIdentifier: any PersistentModel] = [:]
  private var storedIdentifiers: [ObjectIdentifier: PersistentIdentifier] = [:]

  /// Creates an empty set of merges.
  init() {}

  /// Finds the merges of a context's new objects.
  init(in context: ContextState) throws {
    let schema = context.core.schema.storeSchema
    let live = LiveEvaluation(context: context)
    var earlier: [StoreConstraint: [GroupKey: any PersistentModel]] = [:]
    for model in context.pending.inserted {
      guard let row = live.row(of: model) else { continue }
      for constraint in schema.constraints(of: row.entity) {
        guard let values = Self.values(constraint, of: row) else { continue }
        let key = GroupKey(values)
        if let other = earlier[constraint]?[key] { replace(other, by: model) }
        earlier[constraint, default: [:]][key] = model
        for other in try Self.stored(constraint, values, in: context, live) {
          replace(other, by: model)
        }
      }
    }
  }

  /// Returns the objects that will be merged into an object.
  func predecessors(of model: any PersistentModel) -> [any PersistentModel] {
    guard !replaced.isEmpty else { return [] }
    return replacedModels.filter { successors[ObjectIdentifier($0)] === model }
  }

  /// The identity that an object has, or will have.
  func identity(of model: any PersistentModel) -> PersistentIdentifier {
    let last = successors[ObjectIdentifier(model)] ?? model
    return storedIdentifiers[ObjectIdentifier(last)] ?? last.persistentModelID
  }

  private mutating func replace(_ other: any PersistentModel, by model: any PersistentModel) {
    guard other !== model, !replaced.contains(ObjectIdentifier(other)) else { return }
    let identifier = storedIdentifiers[ObjectIdentifier(other)] ?? other.persistentModelID
    replaced.insert(ObjectIdentifier(other))
    replacedModels.append(other)
    // A stored row keeps its identity, whatever new objects are merged into it.
    if let earlier = storedIdentifiers[ObjectIdentifier(model)], !earlier.isTemporary { return }
    storedIdentifiers[ObjectIdentifier(model)] = identifier
    for (key, successor) in successors where successor === other { successors[key] = model }
    successors[ObjectIdentifier(other)] = model
  }

  /// Returns the values of a constraint, or `nil` if one of them equals no other value.
  static func values(_ constraint: StoreConstraint, of row: LiveRow) -> [StoreValue]? {
    let values = constraint.properties.map { name in
      row.entity.indexByName[name].map(row.value(at:)) ?? .null
    }
    return values.allSatisfy { !$0.isNull && $0.isEqual(to: $0) } ? values : nil
  }

  /// Returns the stored objects that currently have the values.
  static func stored(
    _ constraint: StoreConstraint,
    _ values: [StoreValue],
    in context: ContextState,
    _ live: LiveEvaluation
  ) throws -> [any PersistentModel] {
    guard let registration = context.registration(named: constraint.entity),
      !values.contains(where: \.isTemporaryReference)
    else { return [] }
    let filter = QueryExpression.and(
      zip(constraint.properties, values).map {
        .compare(.equal, .property(.element(0), $0), .constant($1))
      }
    )
    let query = StoreQuery(entity: constraint.entity, filter: filter)
    var found: [any PersistentModel] = []
    try context.read(query, from: registration) { found.append($0) }
    found += context.pending.changed.filter {
      $0.registration?.entity.root == registration.entity.root
    }
    let test = try live.evaluator.test(filter)
    return try found.filter { model in
      guard !model.isDeleted, let row = live.row(of: model) else { return false }
      guard context.core.schema.storeSchema.isEntity(row.entity.name, kindOf: constraint.entity)
      else { return false }
      return try test(row)
    }
  }
}

extension StoreValue {
  /// Whether this refers to an object that was never saved.
  fileprivate var isTemporaryReference: Bool {
    if case .identifier(let identifier) = self { return identifier.isTemporary }
    return false
  }
}
