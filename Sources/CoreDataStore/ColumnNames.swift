import CoreDataFiles

/// The names of the columns of a hierarchy's table.
///
/// A column's name is `Z` and the property's name in upper case. If that name is taken, a number
/// follows, starting with 1. Names are assigned by the kind of column, then by the entity's number,
/// then to attributes before relationships, then by the property's name. The elements of a
/// composite follow at the position of the composite, in their own order.
struct ColumnNames {
  /// The kinds of columns, in the order in which they receive their names.
  private enum Kind: Int {
    case integer, number, string, uuid, bytes
  }

  private struct Column {
    let kind: Kind
    let entity: Int64
    let isRelationship: Bool
    /// The property, and the elements of composites on the path to the column.
    let path: [String]
    let order: Int
    let key: String
  }

  private var names: [String: String] = [:]

  init(_ members: [(entity: ManagedModel.Entity, number: Int64)]) {
    var columns: [Column] = []
    for (entity, number) in members {
      for attribute in entity.attributes {
        Self.add(attribute, entity, number, path: [attribute.name], to: &columns)
      }
      for relationship in entity.relationships
      where !relationship.isToMany && !relationship.isTransient {
        columns.append(
          Column(
            kind: .integer,
            entity: number,
            isRelationship: true,
            path: [relationship.name],
            order: columns.count,
            key: Self.key(entity.name, [relationship.name])
          )
        )
      }
    }
    columns.sort { left, right in
      if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
      if left.entity != right.entity { return left.entity < right.entity }
      if left.isRelationship != right.isRelationship { return right.isRelationship }
      if left.path[0] != right.path[0] { return left.path[0] < right.path[0] }
      return left.order < right.order
    }
    var taken: Set<String> = []
    for column in columns {
      let base = "Z" + (column.path.last ?? "").uppercased()
      var name = base
      var number = 0
      while !taken.insert(name).inserted {
        number += 1
        name = "\(base)\(number)"
      }
      names[column.key] = name
    }
  }

  func columns(
    of attribute: ManagedModel.Attribute,
    in entity: String
  ) -> SourceLayout.AttributeColumns {
    columns(of: attribute, in: entity, path: [attribute.name])
  }

  private func columns(
    of attribute: ManagedModel.Attribute,
    in entity: String,
    path: [String]
  ) -> SourceLayout.AttributeColumns {
    guard attribute.type == .composite else {
      return names[Self.key(entity, path)].map { .column($0) } ?? .none
    }
    if attribute.isTransient { return .none }
    return .elements(
      attribute.elements.map { ($0, columns(of: $0, in: entity, path: path + [$0.name])) }
    )
  }

  func column(of relationship: ManagedModel.Relationship, in entity: String) -> String? {
    names[Self.key(entity, [relationship.name])]
  }

  private static func add(
    _ attribute: ManagedModel.Attribute,
    _ entity: ManagedModel.Entity,
    _ number: Int64,
    path: [String],
    to columns: inout [Column]
  ) {
    if attribute.isTransient { return }
    if attribute.type == .composite {
      for element in attribute.elements {
        add(element, entity, number, path: path + [element.name], to: &columns)
      }
      return
    }
    guard let kind = kind(of: attribute.type) else { return }
    columns.append(
      Column(
        kind: kind,
        entity: number,
        isRelationship: false,
        path: path,
        order: columns.count,
        key: key(entity.name, path)
      )
    )
  }

  private static func kind(of type: ManagedModel.AttributeType) -> Kind? {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .decimal, .double, .float, .date: .number
    case .string, .uri: .string
    case .uuid: .uuid
    case .binary, .transformable: .bytes
    case .undefined, .objectID, .composite: nil
    }
  }

  private static func key(_ entity: String, _ path: [String]) -> String {
    ([entity] + path).joined(separator: "\u{0}")
  }
}
