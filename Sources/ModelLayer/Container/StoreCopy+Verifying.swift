import StoreProtocol

extension StoreCopy {
  /// Compares all rows of both sides.
  ///
  /// - Returns: The number of rows of each entity.
  func verify() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for root in rootsInOrder() {
      try compare(root, counts: &counts)
    }
    return counts
  }

  private func compare(_ root: String, counts: inout [String: Int]) throws {
    let reading = try source.store(keeping: root)
    let writing = try target.store(keeping: root)
    var batch: [DefaultSnapshot] = []
    try reading.readRows(of: .all(of: root)) { reader in
      batch.append(try Self.record(reader))
      counts[reader.entity.name, default: 0] += 1
      guard batch.count == Self.batchSize else { return }
      try compare(batch, reading, writing)
      batch.removeAll(keepingCapacity: true)
    }
    try compare(batch, reading, writing)
    let expected = try reading.countRows(of: .all(of: root))
    let found = try writing.countRows(of: .all(of: root))
    guard expected == found else {
      throw DataStoreError(
        .storeDamaged,
        "the copy has \(found) objects where the original has \(expected)",
        entity: root
      )
    }
  }

  private func compare(
    _ batch: [DefaultSnapshot],
    _ reading: any RecordStore,
    _ writing: any RecordStore
  ) throws {
    guard let first = batch.first else { return }
    let root = try entity(of: first).root
    let wanted = batch.compactMap { mappedIdentifier($0.persistentIdentifier) }
    var found: [DefaultSnapshot] = []
    try writing.readRows(of: .rows(wanted, of: root)) { found.append(try Self.record($0)) }
    let copies = Dictionary(
      lastOf: try writing.withMembers(found).map { ($0.persistentIdentifier.key, $0) }
    )
    for record in try reading.withMembers(batch) {
      try compare(
        record,
        mappedIdentifier(record.persistentIdentifier).flatMap { copies[$0.key] }
      )
    }
  }

  private func compare(
    _ record: DefaultSnapshot,
    _ copy: DefaultSnapshot?
  ) throws {
    let entity = try entity(of: record)
    for (index, property) in entity.properties.enumerated() {
      guard let copy, Self.agree(mapped(record.values[index]), copy.values[index]) else {
        throw DataStoreError(
          .storeDamaged,
          "the copy of \(record.persistentIdentifier) differs from the original",
          entity: entity.name,
          property: property.name
        )
      }
    }
  }

  /// Whether two values are the same, references by key alone.
  private static func agree(_ first: StoreValue, _ second: StoreValue) -> Bool {
    switch (first, second) {
    case (.identifier(let a), .identifier(let b)): a.key == b.key
    case (.identifiers(let a), .identifiers(let b)): a.map(\.key) == b.map(\.key)
    default: first == second
    }
  }
}
