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
  private var successors: [ObjectIdentifier: any PersistentModel] = [:]
  private var predecessors: [ObjectIdentifier: [any PersistentModel]] = [:]
  private var storedIdentifiers: [ObjectIdentifier: PersistentIdentifier] = [:]

  /// Creates an empty set of merges.
  init() {}

  /// Finds the merges of a context's new objects, with one query per constraint.
  ///
  /// If references are unique, the merges of the objects that they refer to determine further ones.
  init(in context: ContextState) throws {
    let inserted = context.pending.inserted
    let repeats = inserted.contains { $0.registration?.hasUniqueReferences == true }
    var merges = PendingMerges()
    var count = -1
    while merges.replaced.count > count {
      count = repeats ? merges.replaced.count : .max
      let new = PendingUniqueValues(of: inserted, in: context, merges)
      let old = try new.storedObjects { _ in true } + context.pending.changed
      merges = PendingMerges(of: new, into: old, in: context)
    }
    self = merges
  }

  /// Finds the merges of new objects into each other, and into some changed and stored ones.
  init(
    of new: PendingUniqueValues,
    into old: [any PersistentModel],
    in context: ContextState
  ) {
    guard !new.entries.isEmpty else { return }
    let old = PendingUniqueValues(of: old, in: context, new.merges)
    let existing = Dictionary(grouping: old.entries, by: \.key)
    var earlier: [UniqueKey: any PersistentModel] = [:]
    for (model, key) in new.entries {
      if let other = earlier.updateValue(model, forKey: key) { replace(other, by: model) }
      // No row refers to an object that was never saved.
      if key.values.values.contains(where: \.isTemporaryReference) { continue }
      for other in existing[key] ?? [] { replace(other.model, by: model) }
    }
  }

  /// Returns the objects that will be merged into an object.
  func predecessors(of model: any PersistentModel) -> [any PersistentModel] {
    predecessors.isEmpty ? [] : predecessors[ObjectIdentifier(model)] ?? []
  }

  /// Returns the object that an object will be merged into, or the object itself.
  func successor(of model: any PersistentModel) -> any PersistentModel {
    successors[ObjectIdentifier(model)] ?? model
  }

  /// The identity that an object has, or will have.
  func identity(of model: any PersistentModel) -> PersistentIdentifier {
    let last = successor(of: model)
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
    let earlier = (predecessors.removeValue(forKey: ObjectIdentifier(other)) ?? []) + [other]
    for replaced in earlier { successors[ObjectIdentifier(replaced)] = model }
    predecessors[ObjectIdentifier(model), default: []] += earlier
  }
}

/// A constraint and the values of one object.
struct UniqueKey: Hashable {
  let constraint: StoreConstraint
  let values: GroupKey
}

/// The unique values of objects of a context.
struct PendingUniqueValues {
  /// The objects in their order, each once per constraint.
  private(set) var entries: [(model: any PersistentModel, key: UniqueKey)] = []
  /// The merges of the objects that unique references refer to.
  fileprivate let merges: PendingMerges
  private let context: ContextState

  init(
    of models: [any PersistentModel],
    in context: ContextState,
    _ merges: PendingMerges = PendingMerges()
  ) {
    self.context = context
    self.merges = merges
    let schema = context.core.schema.storeSchema
    let live = LiveEvaluation(context: context, merges: merges)
    var constraints: (entity: StoreEntity, of: [StoreConstraint])?
    for model in models where !model.isDeleted {
      guard let row = live.row(of: model) else { continue }
      if constraints?.entity !== row.entity {
        constraints = (row.entity, schema.constraints(of: row.entity))
      }
      for constraint in constraints?.of ?? [] {
        guard let values = Self.values(constraint, of: row) else { continue }
        entries.append((model, UniqueKey(constraint: constraint, values: GroupKey(values))))
      }
    }
  }

  /// Returns the values of a constraint, or `nil` if one of them equals no other value.
  static func values(_ constraint: StoreConstraint, of row: LiveRow) -> [StoreValue]? {
    let values = constraint.properties.map { name in
      row.entity.indexByName[name].map(row.value(at:)) ?? .null
    }
    return values.allSatisfy { !$0.isNull && $0.isEqual(to: $0) } ? values : nil
  }

  /// Returns the stored objects that have values of some of the objects, with one query per
  /// constraint.
  ///
  /// The result may include other objects.
  func storedObjects(
    where isIncluded: (any PersistentModel) -> Bool
  ) throws -> [any PersistentModel] {
    let keys = entries.filter { isIncluded($0.model) }.map(\.key)
    var found: [any PersistentModel] = []
    for (constraint, keys) in Dictionary(grouping: keys, by: \.constraint)
      .sorted(by: { $0.key.properties.lexicographicallyPrecedes($1.key.properties) })
    {
      found += try Self.rows(constraint, keys.map(\.values.values), in: context)
    }
    return found
  }

  /// Returns the objects of the rows that have any of some sets of values.
  private static func rows(
    _ constraint: StoreConstraint,
    _ sets: [[StoreValue]],
    in context: ContextState
  ) throws -> [any PersistentModel] {
    let sets = sets.filter { !$0.contains(where: \.isTemporaryReference) }
    guard let registration = context.registration(named: constraint.entity), !sets.isEmpty else {
      return []
    }
    func condition(_ values: [StoreValue]) -> QueryExpression {
      .and(
        zip(constraint.properties, values).map {
          .compare(.equal, .property(.element(0), $0), .constant($1))
        }
      )
    }
    var filters: [QueryExpression] = []
    if sets.count > 1, constraint.properties.count == 1 {
      let list = StoreValue.array(sets.flatMap(\.self))
      filters = [.contains(.constant(list), .property(.element(0), constraint.properties[0]))]
    } else {
      // Stores limit the size of a condition.
      for start in stride(from: 0, to: sets.count, by: 100) {
        let conditions = sets[start...].prefix(100).map(condition)
        filters.append(conditions.count == 1 ? conditions[0] : .or(conditions))
      }
    }
    var found: [any PersistentModel] = []
    for filter in filters {
      let query = StoreQuery(entity: constraint.entity, filter: filter)
      try context.loader.read(query, from: registration) { found.append($0) }
    }
    return found
  }

  /// Returns the stored objects that currently have the values.
  static func stored(
    _ constraint: StoreConstraint,
    _ values: [StoreValue],
    in context: ContextState
  ) throws -> [any PersistentModel] {
    if values.contains(where: \.isTemporaryReference) { return [] }
    let found = try rows(constraint, [values], in: context) + context.pending.changed
    let key = UniqueKey(constraint: constraint, values: GroupKey(values))
    return Self(of: found, in: context).entries.filter { $0.key == key }.map(\.model)
  }
}

extension StoreValue {
  /// Whether this refers to an object that was never saved.
  fileprivate var isTemporaryReference: Bool {
    if case .identifier(let identifier) = self { return identifier.isTemporary }
    return false
  }
}
