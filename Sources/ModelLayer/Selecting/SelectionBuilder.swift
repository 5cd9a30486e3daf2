import Foundation
import ModelRuntime
import StoreProtocol

/// Builds a selection: the requested columns first, followed by those that conditions and orders
/// need.
struct SelectionBuilder<T: PersistentModel> {
  private let scope: QueryScope
  let query: StoreQuery
  private var groups: [QueryExpression]?
  private var columns: [StoreSelection.Column] = []

  init(_ query: StoreQuery, in scope: QueryScope) {
    self.query = query
    self.scope = scope
  }

  mutating func select(_ keyPath: AnyKeyPath) throws {
    columns.append(.value(try Self.value(keyPath)))
  }

  mutating func group() { groups = groups ?? [] }

  mutating func group(by keyPath: AnyKeyPath) throws {
    columns.append(.key(groups?.count ?? 0))
    groups = (groups ?? []) + [try Self.value(keyPath)]
  }

  mutating func compute<V>(_ aggregate: Aggregate<T, V>) throws {
    columns.append(try aggregate.column(scope))
  }

  /// Returns the selection with a condition on its groups and their order.
  mutating func selection(
    having condition: GroupCondition<T>?,
    order: [GroupOrder<T>]
  ) throws -> StoreSelection {
    let having = try condition?.expression(&self)
    let order = try order.map { QuerySort(try $0.value(&self), isReversed: $0.isReversed) }
    return StoreSelection(query, groups: groups, columns: columns, having: having, order: order)
  }

  /// Returns the expression of a key path; a list of objects has no plain value, but its elements
  /// can be counted.
  private static func value(_ keyPath: AnyKeyPath) throws -> QueryExpression {
    let value = try QueryExpression(keyPath: keyPath, of: T.self)
    let type = type(of: keyPath).valueType
    guard type as? any PersistentModel.Type == nil,
      (type as? any OptionalType.Type)?.wrapped as? any PersistentModel.Type == nil
    else {
      throw SwiftDataError.unsupportedKeyPath.with(
        "a key path ends at a model, which cannot be selected; append .persistentModelID or a "
          + "property",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    return value
  }

  private mutating func column(_ column: StoreSelection.Column) -> QueryExpression {
    if let index = columns.firstIndex(of: column) { return StoreSelection.column(index) }
    columns.append(column)
    return StoreSelection.column(columns.count - 1)
  }

  /// Returns the column of an aggregate, which is added unless it is requested.
  mutating func column<V>(of aggregate: Aggregate<T, V>) throws -> QueryExpression {
    column(try aggregate.column(scope))
  }

  /// Returns the column of one of the grouping key paths.
  mutating func column(ofKey keyPath: AnyKeyPath) throws -> QueryExpression {
    let key = try Self.value(keyPath)
    guard let index = groups?.firstIndex(of: key) else {
      throw SwiftDataError.unsupportedSortDescriptor.with(
        "groups can be sorted only by their grouping key paths and by aggregates",
        entity: ModelLayout.of(T.self).entityName
      )
    }
    return column(.key(index))
  }
}
