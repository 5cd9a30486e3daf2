import Foundation
import ModelRuntime
import StoreProtocol

/// Builds a selection: the requested columns first, followed by those that conditions and orders
/// need.
struct SelectionBuilder<T: PersistentModel> {
  let schema: Schema
  let query: StoreQuery
  private var groups: [QueryExpression]?
  private var columns: [StoreSelection.Column] = []

  init(_ query: StoreQuery, schema: Schema) {
    self.query = query
    self.schema = schema
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
    columns.append(try aggregate.column(schema))
  }

  /// Returns the selection with a condition on its groups and their order.
  mutating func selection(
    having condition: GroupCondition<T>?,
    order: [GroupOrder<T>]
  ) throws -> StoreSelection {
    let having = try condition.map { try expression($0.node) }
    let order = try order.map { QuerySort(try value($0.term), isReversed: $0.isReversed) }
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

  private mutating func value(_ term: GroupOrder<T>.Term) throws -> QueryExpression {
    switch term {
    case .aggregate(let make): return column(try make(schema))
    case .key(let keyPath):
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

  private mutating func expression(_ node: GroupCondition<T>.Node) throws -> QueryExpression {
    switch node {
    case .compare(let comparison, let make, let value):
      guard let value else {
        throw SwiftDataError.unsupportedPredicate.with(
          "a group is compared with a value that cannot be stored",
          entity: ModelLayout.of(T.self).entityName
        )
      }
      return .compare(comparison, column(try make(schema)), .constant(value))
    case .and(let first, let second):
      return .and([try expression(first), try expression(second)])
    case .or(let first, let second):
      return .or([try expression(first), try expression(second)])
    case .not(let node): return .not(try expression(node))
    }
  }
}
