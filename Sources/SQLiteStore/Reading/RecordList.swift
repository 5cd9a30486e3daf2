import StoreProtocol

/// A list of records as they are read; one query per join table adds their related objects.
struct RecordList {
  private(set) var records: [DefaultSnapshot] = []

  /// The indexes of the records that have relationships in join tables, by entity.
  private var incomplete: [String: (layout: RowLayout, positions: [Int])] = [:]

  init(expected: Int?) {
    if let expected { records.reserveCapacity(min(max(expected, 0), 10_000)) }
  }

  /// Appends the current row of a reader.
  mutating func append(_ reader: StatementRowReader) throws {
    let layout = reader.layout
    let values = try layout.entity.properties.indices.map { try reader.value(at: $0) }
    if !layout.joins.isEmpty {
      incomplete[layout.entity.name, default: (layout, [])].positions.append(records.count)
    }
    var record = DefaultSnapshot(
      persistentIdentifier: reader.identifier,
      entity: layout.entity,
      values: values
    )
    record.version = reader.version
    records.append(record)
  }

  /// Returns the records with all their values.
  func completed(_ reader: MemberReader) throws -> [DefaultSnapshot] {
    var records = records
    for (layout, positions) in incomplete.values {
      let keys = positions.compactMap { records[$0].persistentIdentifier.integerKey }
      for (index, join) in layout.joins {
        let members = try reader.members(in: join, owners: keys)
        for position in positions {
          let key = records[position].persistentIdentifier.integerKey ?? 0
          records[position].values[index] = .identifiers(members[key] ?? [])
        }
      }
    }
    return records
  }
}
