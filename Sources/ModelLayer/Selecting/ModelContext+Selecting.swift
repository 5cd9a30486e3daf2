import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches values of objects without creating the objects.
  ///
  /// ```swift
  /// for (name, year) in try context.fetch(descriptor, select: \.name, \.year) { … }
  /// let ends: [String?] = try context.fetch(descriptor, select: \.author?.name)
  /// ```
  ///
  /// Order, window and unsaved changes count as in ``fetch(_:)-(FetchDescriptor<T>)``.
  ///
  /// - Parameters:
  ///   - descriptor: The objects to select.
  ///   - keyPaths: The properties, also through to-one relationships and into Codable members.
  /// - Returns: One element for each object: the value, or a tuple of several.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that is not in the schema;
  ///   ``DataStoreError/invalidValue`` for a `nil` at a key path that is not optional; and errors
  ///   of ``fetch(_:)-(FetchDescriptor<T>)``.
  /// - Complexity: O(*n*) rows; a store with a query language reads only the selected columns.
  public func fetch<T, each Value>(
    _ descriptor: FetchDescriptor<T>,
    select keyPaths: repeat KeyPath<T, each Value>
  ) throws -> [(repeat each Value)] where T: PersistentModel {
    let plan = try FetchPlan(descriptor, in: state)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    repeat try builder.select(each keyPaths)
    let selection = try builder.selection(having: nil, order: [])
    let readers = (repeat ColumnReader<each Value>())
    var result: [(repeat each Value)] = []
    try state.select(selection, as: plan) { values in
      var row = SelectedRow(values, entity: plan.query.entity)
      result.append((repeat try (each readers).next(of: &row)))
    }
    return result
  }

  /// Computes values over all objects of a fetch.
  ///
  /// ```swift
  /// let (flights, mean) = try context.aggregate(descriptor, .count, .average(\.delay))
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The objects. A limit and an offset have no effect.
  ///   - aggregates: The values to compute.
  /// - Returns: The value, or a tuple of several.
  /// - Throws: ``DataStoreError/invalidValue`` for a sum beyond `Int`, and errors of
  ///   ``fetch(_:)-(FetchDescriptor<T>)``.
  public func aggregate<T, each Value>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(),
    _ aggregates: repeat Aggregate<T, each Value>
  ) throws -> (repeat each Value) where T: PersistentModel {
    let plan = try wholePlan(of: descriptor)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    builder.group()
    repeat try builder.compute(each aggregates)
    var values: [StoreValue] = []
    try state.select(builder.selection(having: nil, order: []), as: plan) { values = $0 }
    var row = SelectedRow(values, entity: plan.query.entity)
    return (repeat try ColumnReader<each Value>().next(of: &row))
  }

  /// Computes values over groups of objects that have equal values at some key paths.
  ///
  /// ```swift
  /// let busy = try context.fetch(
  ///   FetchDescriptor<Flight>(),
  ///   groupedBy: \.airline.name,
  ///   aggregates: .count, .average(\.delay),
  ///   having: .count > 100,
  ///   sortBy: [.descending(.count)]
  /// )
  /// for group in busy { print(group.key, group.values.0, group.values.1 ?? 0) }
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The objects. Its limit and offset count groups; it has no order.
  ///   - keys: The key paths whose values make the groups; `nil` is a value like any other.
  ///   - aggregates: The values to compute for each group.
  ///   - condition: The condition for a group. `nil` keeps all groups.
  ///   - order: The order of the groups. Groups that it leaves undecided, or all without it, are in
  ///     the order of their keys.
  /// - Returns: One element for each group: its key or keys, and the computed values.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a descriptor with an order,
  ///   ``DataStoreError/invalidValue`` for a sum beyond `Int`, and errors of
  ///   ``fetch(_:)-(FetchDescriptor<T>)``.
  @_disfavoredOverload  // `fetch(descriptor).map(\.key)` reads the property of a model.
  public func fetch<T, each Key, each Value>(
    _ descriptor: FetchDescriptor<T>,
    groupedBy keys: repeat KeyPath<T, each Key>,
    aggregates: repeat Aggregate<T, each Value>,
    having condition: GroupCondition<T>? = nil,
    sortBy order: [GroupOrder<T>] = []
  ) throws -> [(key: (repeat each Key), values: (repeat each Value))] where T: PersistentModel {
    let plan = try FetchPlan(state.grouped(descriptor), in: state)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    repeat try builder.group(by: each keys)
    repeat try builder.compute(each aggregates)
    let selection = try builder.selection(having: condition, order: order)
    let readers = (repeat ColumnReader<each Value>())
    let keyReaders = (repeat ColumnReader<each Key>())
    var result: [(key: (repeat each Key), values: (repeat each Value))] = []
    try state.select(selection, as: plan) { values in
      var row = SelectedRow(values, entity: plan.query.entity)
      let key = (repeat try (each keyReaders).next(of: &row))
      result.append((key: key, values: (repeat try (each readers).next(of: &row))))
    }
    return result
  }

  /// Fetches the distinct values of objects at some key paths, in their order.
  ///
  /// - Throws: Errors of `fetch(_:groupedBy:aggregates:having:sortBy:)`.
  public func fetchDistinct<T, each Key>(
    _ descriptor: FetchDescriptor<T>,
    _ keys: repeat KeyPath<T, each Key>
  ) throws -> [(repeat each Key)] where T: PersistentModel {
    var result: [(repeat each Key)] = []
    // A key path into a tuple of a pack, as `map(\.key)` has it, aborts in Swift 6.3.1.
    for group in try fetch(descriptor, groupedBy: repeat each keys, aggregates: .count) {
      result.append(group.key)
    }
    return result
  }
}
