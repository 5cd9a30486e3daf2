import StoreProtocol

/// The rows that a relationship of one row refers to.
struct RelatedRows {
  var identifiers: [PersistentIdentifier] = []
  /// The keys that no row has.
  var missing: [Int64] = []
}

/// Reads the targets of a relationship for owners in the order of their keys.
struct ListReader {
  private let statement: SourceStatement
  /// The pair that was read last and whose owner comes later.
  private var ahead: (owner: Int64, target: Int64?, number: Int64?)?
  private var isAtEnd = false

  /// Creates a reader of the targets of some owners, or of all for `nil`.
  init(_ reader: SourceReader, _ list: RowPlan.List, owners: [Int64]?) throws {
    let condition = owners.map { "IN (\(SourceReader.list($0)))" } ?? "IS NOT NULL"
    statement = try reader.prepare(
      "\(list.select) WHERE \(list.owner) \(condition) ORDER BY \(list.order)"
    )
  }

  mutating func targets(of owner: Int64, _ content: SourceContent) throws -> RelatedRows {
    var result = RelatedRows()
    // Lists of rows that are not read are skipped.
    while let pair = try peek(), pair.owner <= owner {
      if pair.owner == owner, let target = pair.target {
        if let number = pair.number {
          result.identifiers.append(try content.identifier(target, number: number))
        } else {
          result.missing.append(target)
        }
      }
      ahead = nil
    }
    return result
  }

  private mutating func peek() throws -> (owner: Int64, target: Int64?, number: Int64?)? {
    if ahead == nil, !isAtEnd {
      if try statement.step() {
        ahead = (statement.integer(0) ?? 0, statement.integer(1), statement.integer(2))
      } else {
        isAtEnd = true
      }
    }
    return ahead
  }
}

extension SourceContent {
  /// Reads the elements of a to-many relationship of some rows, in order.
  ///
  /// - Returns: One entry for each row that exists, under its identifier as it is in `owners`.
  func members(
    of property: StoreProperty,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let plan = try plan(of: entity, membersOf: property.name)
    var asked: [Int64: PersistentIdentifier] = [:]
    for owner in owners { asked[tableKey(owner, rank: plan.rank) ?? 0] = owner }
    var result: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    try inParts(asked.keys.sorted()) { keys in
      var list = try plan.lists.first.map { try ListReader(reader, $0, owners: keys) }
      let rows = try reader.prepare(plan.select(keys: keys))
      while try rows.step() {
        guard let key = rows.integer(0), let number = rows.integer(1), let owner = asked[key] else {
          continue
        }
        let related = try list?.targets(of: key, self) ?? RelatedRows()
        for key in related.missing {
          let row = try identifier(key, number: number, rank: plan.rank)
          _ = try problems.replacement(.missing(key), property, of: row, path: reader.path)
        }
        result[owner] = related.identifiers
      }
      return true
    }
    return result
  }
}
