import CoreDataFiles
import SQLTranslation
import StoreProtocol

/// A plan for reading the rows of an entity and of those that inherit from it.
struct RowPlan: Sendable {
  /// The source of a property's value.
  enum Source: Sendable {
    case attribute(ManagedModel.Attribute, SourceLayout.AttributeColumns)
    /// The column, and the indexes of the key and of the target's entity in the result.
    case reference(column: String, key: Int, entity: Int)
    /// The index in ``RowPlan/lists``.
    case list(Int)
    /// The address of the row.
    case uri
    /// Nothing is stored here: the other end has the reference, or the file lacks the property.
    case absent
  }

  /// A relationship whose targets are read by a statement of their own.
  struct List: Hashable, Sendable {
    /// The statement without a condition, with owner, target and the target's entity.
    let select: String
    let owner: String
    let order: String
  }

  /// The entity and the source of each of its properties, by the entity's number.
  private(set) var entities: [Int64: (entity: StoreEntity, sources: [Source])] = [:]
  private(set) var lists: [List] = []
  /// The result columns, in order; the first two are key and entity.
  private(set) var columns: [String: Int] = [:]
  private var expressions = ["t.Z_PK", "t.Z_ENT"]
  let table: String
  let rank: Int64
  /// Whether to read to-many relationships whose references the other end stores.
  private let listsEverything: Bool

  /// Creates a plan for some entities of one hierarchy, or for one to-many relationship of theirs.
  init?(
    _ names: [String],
    schema: StoreSchema,
    model: ManagedModel,
    layout: SourceLayout,
    keepsURIs: Bool,
    membersOf relationship: String? = nil
  ) {
    guard let first = names.first.flatMap({ layout.entities[$0] }) else { return nil }
    table = first.table
    rank = first.rank
    listsEverything = relationship != nil
    let hierarchy = Hierarchy(model)
    for name in names {
      guard let entity = schema.entity(named: name), let stored = layout.entities[name] else {
        continue
      }
      let line = [name] + hierarchy.ancestors(of: name).map(\.name)
      let described = line.compactMap(model.entity(named:))
      let properties =
        relationship.map { [entity.property(named: $0)].compactMap(\.self) } ?? entity.properties
      let sources = properties.map { property in
        keepsURIs && property.name == CoreDataStoreConfiguration.uriProperty
          ? .uri : source(of: property, described, stored, layout)
      }
      entities[stored.number] = (entity, sources)
    }
  }

  /// Returns the statement for all rows, or for those with some keys, in the order of their keys.
  func select(keys: [Int64]?) -> String {
    let condition = keys.map { " AND t.Z_PK IN (\(SourceReader.list($0)))" } ?? ""
    return "SELECT \(expressions.joined(separator: ", ")) FROM \(SourceReader.quoted(table)) AS t "
      + "WHERE t.\(isOfEntities)\(condition) ORDER BY t.Z_PK"
  }

  /// Returns the statement for the keys and entities of the rows that satisfy conditions, in an
  /// order.
  func selectKeys(_ conditions: [SQLFragment], order: SQLFragment) -> SQLFragment {
    "SELECT Z_PK, Z_ENT FROM \(rows(conditions)) ORDER BY \(order)"
  }

  /// Returns the statement for the number of rows that satisfy conditions.
  func selectCount(_ conditions: [SQLFragment]) -> SQLFragment {
    "SELECT count(*) FROM \(rows(conditions))"
  }

  private func rows(_ conditions: [SQLFragment]) -> SQLFragment {
    let condition = SQLFragment.all([SQLFragment(isOfEntities)] + conditions)
    return "\(SourceReader.quoted(table)) WHERE \(condition)"
  }

  private var isOfEntities: String { "Z_ENT IN (\(SourceReader.list(entities.keys.sorted())))" }

  private mutating func source(
    of property: StoreProperty,
    _ described: [ManagedModel.Entity],
    _ stored: SourceLayout.Entity,
    _ layout: SourceLayout
  ) -> Source {
    let names = [property.name, property.originalName]
    for entity in described {
      if let attribute = entity.attributes.first(where: { names.contains($0.name) }),
        let columns = stored.attributes[attribute.name]
      {
        for name in columns.names where self.columns[name] == nil {
          self.columns[name] = add(expression: "t.\(SourceReader.quoted(name))")
        }
        return .attribute(attribute, columns)
      }
      guard let relationship = entity.relationships.first(where: { names.contains($0.name) }),
        let columns = stored.relationships[relationship.name],
        let target = layout.entities[relationship.destination]
      else { continue }
      return source(of: property, columns, target)
    }
    return .absent
  }

  private mutating func source(
    of property: StoreProperty,
    _ columns: SourceLayout.RelationshipColumns,
    _ target: SourceLayout.Entity
  ) -> Source {
    let entity = "(SELECT Z_ENT FROM \(SourceReader.quoted(target.table)) WHERE Z_PK = "
    switch columns {
    case .none: return .absent
    case .key(let column):
      let name = "t.\(SourceReader.quoted(column))"
      return .reference(
        column: column,
        key: add(expression: name),
        entity: add(expression: "\(entity)\(name))")
      )
    case .backward(let table, let owner, let order):
      // Without an order, the related objects' own references are sufficient.
      if property.isDerivedToMany && order == nil && !listsEverything { return .absent }
      let rows = "\(SourceReader.quoted(table)) AS j"
      return add(list(of: rows, owner: owner, key: "Z_PK", entity: "j.Z_ENT", order: order))
    case .pairs(let table, let owner, let key, let order):
      let column = "j.\(SourceReader.quoted(key))"
      var rows = "\(SourceReader.quoted(table)) AS j"
      var number = "\(entity)\(column))"
      if owner == JoinTables.reflexive {
        // A deletion may leave one of the two pairs behind, which Core Data never shows.
        rows += " JOIN \(SourceReader.quoted(target.table)) AS m ON m.Z_PK = \(column)"
        number = "m.Z_ENT"
      }
      return add(list(of: rows, owner: owner, key: key, entity: number, order: order))
    }
  }

  private func list(
    of rows: String,
    owner: String,
    key: String,
    entity: String,
    order: String?
  ) -> List {
    let owner = "j.\(SourceReader.quoted(owner))"
    let key = "j.\(SourceReader.quoted(key))"
    // Targets without a position come last.
    let position = order.map { "j.\(SourceReader.quoted($0))" }
    return List(
      select: "SELECT \(owner), \(key), \(entity) FROM \(rows)",
      owner: owner,
      order: "\(owner), \(position.map { "\($0) IS NULL, \($0), " } ?? "")\(key)"
    )
  }

  private mutating func add(_ list: List) -> Source {
    if let index = lists.firstIndex(of: list) { return .list(index) }
    lists.append(list)
    return .list(lists.count - 1)
  }

  private mutating func add(expression: String) -> Int {
    expressions.append(expression)
    return expressions.count - 1
  }
}
