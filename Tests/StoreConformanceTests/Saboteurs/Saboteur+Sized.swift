import OpenSwiftData

@testable import StoreConformance

extension Saboteur {
  /// Those that do more than so much only in part.
  static let sized = [999, 32_766, 65_535].flatMap(lists) + changes(65_535)

  private static func lists(_ limit: Int) -> [Saboteur] {
    [
      Saboteur("looks at \(limit) values of a list", "LIMIT-009") {
        .understanding { expression in
          guard case .constant(.array(let list)) = expression else { return expression }
          return .constant(.array(Array(list.prefix(limit))))
        }
      },
      Saboteur("looks at \(limit) references of a list", "LIMIT-009") {
        .understanding { expression in
          guard case .contains(.constant(.identifiers(let list)), .property) = expression else {
            return expression
          }
          return .contains(
            .constant(.identifiers(Array(list.prefix(limit)))),
            expression.children[1]
          )
        }
      },
      Saboteur("finds \(limit) rows by identity", "LIMIT-010") {
        .understanding { expression in
          guard case .contains(.constant(.identifiers(let list)), .element) = expression else {
            return expression
          }
          return .contains(.constant(.identifiers(Array(list.prefix(limit)))), .element(0))
        }
      },
      Saboteur("gives members of \(limit) owners", "LIMIT-010") {
        var alterations = Alterations()
        alterations.members = { store, property, entity, owners in
          try store.members(of: property, in: entity, owners: Array(owners.prefix(limit)))
        }
        return alterations
      },
    ]
  }

  // With one limit, since each check saves and reads all rows, and any limit changes the same result.
  private static func changes(_ limit: Int) -> [Saboteur] {
    [
      Saboteur("gives \(limit) rows", "LIMIT-008") {
        .asking { query in query.with { $0.limit = min($0.limit ?? .max, limit) } }
      },
      Saboteur("updates \(limit) rows", "LIMIT-008") {
        .saving { changes in changes.with { $0.updated = Array($0.updated.prefix(limit)) } }
      },
      Saboteur("deletes \(limit) rows", "LIMIT-008") {
        .saving { changes in changes.with { $0.deleted = Array($0.deleted.prefix(limit)) } }
      },
      Saboteur("inserts \(limit) rows", "LIMIT-008") {
        var alterations = Alterations()
        alterations.apply = { store, changes in
          var result = try store.apply(
            changes.with { $0.inserted = Array($0.inserted.prefix(limit)) }
          )
          for record in changes.inserted.dropFirst(limit) {
            result.remapped[record.persistentIdentifier] = result.remapped.values.first
          }
          return result
        }
        return alterations
      },
    ]
  }
}
