import CoreDataFiles
import StoreProtocol

/// How the rows of an entity and of those that inherit from it are read.
struct RowPlan: Sendable {
  /// Where a property's value comes from.
  enum Source: Sendable {
    case attribute(ManagedModel.Attribute, SourceLayout.AttributeColumns)
    /// The positions of the key and of the target's entity in the result, and the target's root.
    case reference(key: Int, entity: Int)
    /// The position among ``RowPlan/lists``.
    case list(Int)
    /// Nothing is stored here: the other end says it, or the file lacks the property.
    case absent
  }

  /// A relationship whose targets are read beside the rows.
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

  /// Plans the reading of some entities of one hierarchy.
  init?(_ names: [String], schema: StoreSchema, model: ManagedModel, layout: SourceLayout) {
    guard let first = names.first.flatMap({ layout.entities[$0] }) else { return nil }
    table = first.table
    rank = first.rank
    let hierarchy = Hierarchy(model)
    for name in names {
      guard let entity = schema.entity(named: name), let place = layout.entities[name] else {
        continue
      }
      let line = [name] + hierarchy.ancestors(of: name).map(\.name)
      let described = line.compactMap(model.entity(named:))
      let sources = entity.properties.map { property in
        source(of: property, described, place, layout)
      }
      entities[place.number] = (entity, sources)
    }
  }

  /// The statement of all rows, or of those with some keys, in the order of their keys.
  func select(keys: [Int64]?) -> String {
    let numbers = entities.keys.sorted().map(String.init).joined(separator: ", ")
    // Keys are integers, so that they need no parameters; SQLite limits the number of those.
    let condition = keys.map {
      " AND t.Z_PK IN (\($0.map(String.init).joined(separator: ", ")))"
    }
    return "SELECT \(expressions.joined(separator: ", ")) FROM \(SourceReader.quoted(table)) AS t "
      + "WHERE t.Z_ENT IN (\(numbers))\(condition ?? "") ORDER BY t.Z_PK"
  }

  private mutating func source(
    of property: StoreProperty,
    _ described: [ManagedModel.Entity],
    _ place: SourceLayout.Entity,
    _ layout: SourceLayout
  ) -> Source {
    let names = [property.name, property.originalName]
    for entity in described {
      if let attribute = entity.attributes.first(where: { names.contains($0.name) }),
        let columns = place.attributes[attribute.name]
      {
        add(columns)
        return .attribute(attribute, columns)
      }
      guard let relationship = entity.relationships.first(where: { names.contains($0.name) }),
        let columns = place.relationships[relationship.name],
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
      return .reference(key: add(expression: name), entity: add(expression: "\(entity)\(name))"))
    case .backward(let table, let owner, let order):
      // Without an order the members' own references say everything.
      if property.isDerivedToMany && order == nil { return .absent }
      return add(list(of: table, owner: owner, key: "Z_PK", entity: "j.Z_ENT", order: order))
    case .pairs(let table, let owner, let key, let order):
      let number = "\(entity)j.\(SourceReader.quoted(key)))"
      return add(list(of: table, owner: owner, key: key, entity: number, order: order))
    }
  }

  private func list(
    of table: String,
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
      select: "SELECT \(owner), \(key), \(entity) FROM \(SourceReader.quoted(table)) AS j",
      owner: owner,
      order: "\(owner), \(position.map { "\($0) IS NULL, \($0), " } ?? "")\(key)"
    )
  }

  private mutating func add(_ list: List) -> Source {
    if let known = lists.firstIndex(of: list) { return .list(known) }
    lists.append(list)
    return .list(lists.count - 1)
  }

  private mutating func add(_ columns: SourceLayout.AttributeColumns) {
    switch columns {
    case .none: return
    case .column(let name):
      if self.columns[name] == nil {
        self.columns[name] = add(expression: "t.\(SourceReader.quoted(name))")
      }
    case .elements(let elements): for (_, element) in elements { add(element) }
    }
  }

  private mutating func add(expression: String) -> Int {
    expressions.append(expression)
    return expressions.count - 1
  }
}
