import StoreProtocol

/// What unsaved new objects will become at the next save, where unique values decide it.
///
/// A new object with the unique values of a stored one becomes an update of it, and of two new ones
/// the later does so to the earlier. A fetch that includes pending changes shows the new object in
/// the place of the other.
struct PendingMerges {
  /// The objects that will have become others.
  private(set) var replaced: Set<ObjectIdentifier> = []
  /// The same objects.
  private(set) var replacedModels: [any PersistentModel] = []
  /// What they will have become.
  private(set) var successors: [ObjectIdentifier: any PersistentModel] = [:]
  private var places: [ObjectIdentifier: PersistentIdentifier] = [:]

  /// No merges.
  init() {}

  /// Finds the merges of a context's new objects.
  init(in context: ContextState) throws {
    let schema = context.core.schema.storeSchema
    let live = LiveAnswering(context: context)
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

  /// The objects that will have become an object.
  func predecessors(of model: any PersistentModel) -> [any PersistentModel] {
    guard !replaced.isEmpty else { return [] }
    return replacedModels.filter { successors[ObjectIdentifier($0)] === model }
  }

  /// The identity that an object has, or will have.
  func identity(of model: any PersistentModel) -> PersistentIdentifier {
    let last = successors[ObjectIdentifier(model)] ?? model
    return places[ObjectIdentifier(last)] ?? last.persistentModelID
  }

  private mutating func replace(_ other: any PersistentModel, by model: any PersistentModel) {
    guard other !== model, !replaced.contains(ObjectIdentifier(other)) else { return }
    let place = places[ObjectIdentifier(other)] ?? other.persistentModelID
    replaced.insert(ObjectIdentifier(other))
    replacedModels.append(other)
    // A stored row keeps its identity, whatever new objects are merged into it.
    if let known = places[ObjectIdentifier(model)], !known.isTemporary { return }
    places[ObjectIdentifier(model)] = place
    for (key, successor) in successors where successor === other { successors[key] = model }
    successors[ObjectIdentifier(other)] = model
  }

  /// The values of a constraint, nil where one of them equals no other value.
  static func values(_ constraint: StoreConstraint, of row: LiveRow) -> [StoreValue]? {
    let values = constraint.properties.map { name in
      row.entity.indexByName[name].map(row.value(at:)) ?? .null
    }
    return values.allSatisfy { !$0.isNull && $0.isEqual(to: $0) } ? values : nil
  }

  /// The stored objects that have the values as they are now.
  static func stored(
    _ constraint: StoreConstraint,
    _ values: [StoreValue],
    in context: ContextState,
    _ live: LiveAnswering
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
