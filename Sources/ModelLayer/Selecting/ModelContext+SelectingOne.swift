import StoreProtocol

// A parameter pack of one element has a type of its own, which the type checker equates with no
// other: no Set of it, no `sorted()`, no `??`. One key path and one aggregate therefore have
// functions of their own.

extension ModelContext {
  /// Fetches one value of each object without creating the objects.
  ///
  /// ```swift
  /// let titles = Set(try context.fetch(descriptor, select: \.title))
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The objects to select.
  ///   - keyPath: The property, also through to-one relationships and into Codable members.
  /// - Returns: The value of each object, in the order of the descriptor.
  /// - Throws: Errors of the function for several key paths.
  /// - Complexity: O(*n*) rows; a store with a query language reads one column.
  public func fetch<T, Value>(
    _ descriptor: FetchDescriptor<T>,
    select keyPath: KeyPath<T, Value>
  ) throws -> [Value] where T: PersistentModel {
    let plan = try FetchPlan(descriptor, in: state)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    try builder.select(keyPath)
    let reader = ColumnReader<Value>()
    var result: [Value] = []
    try state.select(builder.selection(having: nil, order: []), as: plan) { values in
      var row = SelectedRow(values, entity: plan.query.entity)
      result.append(try reader.next(of: &row))
    }
    return result
  }

  /// Computes one value over all objects of a fetch.
  ///
  /// ```swift
  /// let latest = try context.aggregate(descriptor, .maximum(\.year)) ?? 0
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The objects. A limit and an offset have no effect.
  ///   - aggregate: The value to compute.
  /// - Returns: The value.
  /// - Throws: Errors of the function for several aggregates.
  public func aggregate<T, Value>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor(),
    _ aggregate: Aggregate<T, Value>
  ) throws -> Value where T: PersistentModel {
    let plan = try wholePlan(of: descriptor)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    builder.group()
    try builder.compute(aggregate)
    var values: [StoreValue] = []
    try state.select(builder.selection(having: nil, order: []), as: plan) { values = $0 }
    var row = SelectedRow(values, entity: plan.query.entity)
    return try ColumnReader<Value>().next(of: &row)
  }

  /// Computes one value over groups of objects that have equal values at a key path.
  ///
  /// - Parameters:
  ///   - descriptor: The objects. Its limit and offset count groups; it has no order.
  ///   - key: The key path whose values make the groups; `nil` is a value like any other.
  ///   - aggregate: The value to compute for each group.
  ///   - condition: The condition for a group. `nil` keeps all groups.
  ///   - order: The order of the groups. Groups that it leaves undecided are in the order of their
  ///     keys.
  /// - Returns: The key and the value of each group.
  /// - Throws: Errors of the function for several keys and aggregates.
  public func fetch<T, Key, Value>(
    _ descriptor: FetchDescriptor<T>,
    groupedBy key: KeyPath<T, Key>,
    aggregates aggregate: Aggregate<T, Value>,
    having condition: GroupCondition<T>? = nil,
    sortBy order: [GroupOrder<T>] = []
  ) throws -> [(key: Key, values: Value)] where T: PersistentModel {
    let plan = try FetchPlan(state.grouped(descriptor), in: state)
    var builder = SelectionBuilder<T>(plan.query, in: state.queryScope(of: T.self))
    try builder.group(by: key)
    try builder.compute(aggregate)
    let selection = try builder.selection(having: condition, order: order)
    let (keyReader, reader) = (ColumnReader<Key>(), ColumnReader<Value>())
    var result: [(key: Key, values: Value)] = []
    try state.select(selection, as: plan) { values in
      var row = SelectedRow(values, entity: plan.query.entity)
      let key = try keyReader.next(of: &row)
      result.append((key: key, values: try reader.next(of: &row)))
    }
    return result
  }

  /// Fetches the distinct values of objects at one key path, in their order.
  ///
  /// - Throws: Errors of the function for several keys.
  public func fetchDistinct<T, Key>(
    _ descriptor: FetchDescriptor<T>,
    _ key: KeyPath<T, Key>
  ) throws -> [Key] where T: PersistentModel {
    try fetch(descriptor, groupedBy: key, aggregates: .count).map { $0.key }
  }

  /// Returns the plan of a computation over all objects of a fetch, without its window.
  func wholePlan<T>(of descriptor: FetchDescriptor<T>) throws -> FetchPlan<T> {
    var whole = try state.grouped(descriptor)
    whole.fetchLimit = nil
    whole.fetchOffset = nil
    return try FetchPlan(whole, in: state)
  }
}
