import Foundation
import StoreProtocol

extension StoreQuery {
  /// Lowers a fetch to a plain value.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate`, `unsupportedSortDescriptor` or
  ///   `unsupportedKeyPath` with the part that stores do not support; `unknownSchema` for a model
  ///   that the schema lacks.
  public init<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, schema: Schema) throws {
    try self.init(descriptor, in: QueryScope(schema))
  }

  /// Lowers a fetch for a store.
  ///
  /// - Throws: The errors of ``init(_:schema:)``.
  package init<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    in scope: QueryScope
  ) throws {
    let layout = ModelLayout.of(T.self)
    let name = layout.entityName
    guard scope.schema.storeSchema.entity(named: name) != nil else {
      throw SwiftDataError.unknownSchema.with("the schema has no such model", entity: name)
    }
    try self.init(descriptor, of: layout, in: scope)
  }

  /// Lowers a fetch of a model that the schema has.
  ///
  /// - Throws: The errors of ``init(_:schema:)``.
  package init<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    of layout: ModelLayout,
    in scope: QueryScope
  ) throws {
    self.init(
      entity: layout.entityName,
      filter: try descriptor.predicate.map { try QueryExpression(lowering: $0, in: scope) },
      sort: try descriptor.sortBy.map { try QuerySort($0) },
      offset: max(descriptor.fetchOffset ?? 0, 0),
      limit: descriptor.fetchLimit.map { max($0, 0) },
      properties: descriptor.propertiesToFetch.isEmpty
        ? nil : try Self.names(descriptor.propertiesToFetch, layout)
    )
    let prefetched = descriptor.relationshipKeyPathsForPrefetching
    if !prefetched.isEmpty { prefetch = try Self.names(prefetched, layout) }
  }

  private static func names(
    _ keyPaths: [AnyKeyPath],
    _ layout: ModelLayout
  ) throws -> [String] {
    try keyPaths.map { keyPath in
      if let name = ModelLayout.nameOfProperty(at: keyPath) { return name }
      throw SwiftDataError.unsupportedKeyPath.with(
        keyPath.unstoredReason,
        entity: layout.entityName
      )
    }
  }
}

extension ModelLayout {
  /// Returns the name of the persisted property that a key path of a model refers to, or `nil` if
  /// there is none.
  package static func nameOfProperty(at keyPath: AnyKeyPath) -> String? {
    let steps = KeyPathSteps.of(keyPath, orEphemeral: true)
    if case .property(.element(0), let name) = steps?.applied(to: .element(0)) { return name }
    return nil
  }
}

extension StoreQuery {
  /// The names of all properties that the filter and the sort terms use, including related ones.
  package var inspectedProperties: Set<String> {
    var names: Set<String> = []
    var open = (filter.map { [$0] } ?? []) + sort.map(\.value)
    while let expression = open.popLast() {
      if case .property(_, let name) = expression { names.insert(name) }
      open += expression.children
    }
    return names
  }
}

extension QueryExpression {
  /// Creates an expression for the value at a key path of a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedKeyPath` if stores do not support the key path.
  package init<T: PersistentModel>(keyPath: AnyKeyPath, of model: T.Type) throws {
    guard let value = KeyPathSteps.of(keyPath)?.applied(to: .element(0)) else {
      throw SwiftDataError.unsupportedKeyPath.with(
        keyPath.unstoredReason,
        entity: ModelLayout.of(T.self).entityName
      )
    }
    self = value
  }
}

extension QuerySort {
  /// Lowers a sort descriptor; strings are always ordered by Swift's `<`.
  ///
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` if it does not refer to a persisted value
  ///   with an order.
  package init<T: PersistentModel>(_ descriptor: SortDescriptor<T>) throws {
    guard let keyPath = descriptor.keyPath else {
      throw SwiftDataError.unsupportedSortDescriptor.with(
        "the sort descriptor has no key path",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    try self.init(keyPath: keyPath, of: T.self, isReversed: descriptor.order == .reverse)
  }

  /// Creates an order by the value at a key path of a model.
  ///
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` if it does not refer to a persisted value
  ///   with an order.
  package init<T: PersistentModel>(
    keyPath: AnyKeyPath,
    of model: T.Type,
    isReversed: Bool = false
  ) throws {
    let steps = KeyPathSteps.of(keyPath)
    guard let steps, steps.isOrdered else {
      let target = Swift.type(of: keyPath).valueType
      throw SwiftDataError.unsupportedSortDescriptor.with(
        steps == nil ? keyPath.unstoredReason : "stores cannot sort by values of type \(target)",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    self.init(steps.applied(to: .element(0)), isReversed: isReversed)
  }
}
