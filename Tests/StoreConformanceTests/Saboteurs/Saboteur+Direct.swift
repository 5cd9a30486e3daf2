import OpenSwiftData
import Synchronization

@testable import StoreConformance

extension Saboteur {
  /// Those whose ways past records are wrong.
  static let direct: [Saboteur] = [
    reading("gives a single row twice", "RANDOM-301") { store, query, body in
      try store.read(query, body)
      try store.read(query, body)
    },
    reading("gives a row for a key that none has", "RANDOM-301") { store, query, body in
      guard let row = query.row, row.key == .integer(.max) else {
        return try store.read(query, body)
      }
      let first = PersistentIdentifier(scope: row.scope, key: .integer(1))
      try store.read(.row(first, of: query.entity), body)
    },
    Saboteur("gives single rows without their versions", "RANDOM-301", over: sqlite) {
      through { store, reader in
        let values = try reader.entity.properties.indices.map(reader.value)
        return DefaultSnapshot(
          persistentIdentifier: reader.identifier,
          entity: reader.entity,
          values: values
        )
      }
    },
    Saboteur("gives single rows as they were once", "RANDOM-301", over: sqlite) {
      let stale = StaleRows()
      var alterations = Alterations()
      alterations.row = { try stale.read($1, of: $0, $2) }
      return alterations
    },
    Saboteur("moves one reader along for all single rows", "DIRECT-003", over: sqlite) {
      through(isShared: true) { try record($1) }
    },
    members("leaves a member out", "DIRECT-004") { rows, orders in
      (Array(rows.dropLast()), orders)
    },
    members("gives the row of a member twice", "DIRECT-004") { rows, orders in
      (rows + rows.suffix(1), orders)
    },
    members("says of another owner whose a member is", "DIRECT-004") { rows, orders in
      (rows.map { ($0.owner + 1, $0.record) }, orders)
    },
    members("forgets the order that an owner keeps", "DIRECT-004") { rows, _ in (rows, [:]) },
    saving("stores the first run alone", "DIRECT-005") { store, changes in
      var result = try store.apply(changes.with { $0.insertions = Array($0.insertions.prefix(1)) })
      result.firstKeys += result.firstKeys
      return result
    },
    saving("stores a run backwards", "DIRECT-005") { store, changes in
      try store.apply(
        try changes.with { changes in
          changes.insertions = try changes.insertions.map { try Backwards.run($0, of: store) }
        }
      )
    },
    saving("changes the first row of a run alone", "DIRECT-006") { store, changes in
      try store.apply(
        try changes.with { changes in
          changes.updates = try changes.updates.map { try $0.shortened(of: store) }
        }
      )
    },
    saving("stores new rows before it looks at changes", "DIRECT-007") { store, changes in
      _ = try store.apply(changes.with { $0.updates = [] })
      return try store.apply(changes.with { $0.insertions = [] })
    },
    saving("loses references that a producer writes", "RANDOM-301") { store, changes in
      try store.apply(
        changes.with { changes in
          changes.inserted = changes.inserted.map { record in
            var record = record
            record.values = record.values.map { $0.identifiers.isEmpty ? $0 : .null }
            return record
          }
        }
      )
    },
    Saboteur("keeps the error of what reads one state", "ATOM-012", over: sqlite) {
      var alterations = Alterations()
      alterations.oneState = { store, body in
        try store.readingOneState { do { try body() } catch {} }
      }
      return alterations
    },
    Saboteur("reads one state that is empty", "RANDOM-301", over: sqlite) {
      var alterations = Alterations()
      alterations.oneState = { _, _ in }
      return alterations
    },
    Saboteur("reads rows of one state and counts those of another", "RANDOM-301") {
      var alterations = Alterations()
      alterations.count = { store, query in
        let count = Shared(0)
        try ConcurrencyRules.onThreads(1) { _ in
          let current = try store.count(query)
          count.withLock { $0 = current }
        }
        return count.value
      }
      return alterations
    },
    Saboteur("refuses saves while one state is read", "RANDOM-301") {
      let isReading = Shared(false)
      var alterations = Alterations()
      alterations.oneState = { store, body in
        isReading.withLock { $0 = true }
        defer { isReading.withLock { $0 = false } }
        try store.readingOneState(body)
      }
      alterations.apply = { store, changes in
        if isReading.value { throw DataStoreError(.storeBusy, "one state is being read") }
        return try store.apply(changes)
      }
      return alterations
    },
    Saboteur("reads rows of one state and the history of another", "RANDOM-301", over: sqlite) {
      let held = Shared<[PersistentIdentifier]?>(nil)
      var alterations = Alterations()
      alterations.oneState = { store, body in
        let rows = try store.identifiers(StoreQuery(entity: "Item"))
        held.withLock { $0 = rows }
        defer { held.withLock { $0 = nil } }
        try store.readingOneState(body)
      }
      alterations.identifiers = { _, query in query.entity == "Item" ? held.value : nil }
      return alterations
    },
  ]

  private static let sqlite = Fixtures.SQLiteInMemory()

  private static func record(_ reader: RowReader) throws -> DefaultSnapshot {
    var record = DefaultSnapshot(
      persistentIdentifier: reader.identifier,
      entity: reader.entity,
      values: try reader.entity.properties.indices.map(reader.value)
    )
    record.version = reader.version
    return record
  }

  private static func reading(
    _ name: String,
    _ rule: String,
    _ read: @escaping RowRead
  ) -> Saboteur {
    Saboteur(name, rule, over: sqlite) {
      var alterations = Alterations()
      alterations.row = read
      return alterations
    }
  }

  /// Gives single rows by readers of records.
  private static func through(
    isShared: Bool = false,
    _ record: @escaping @Sendable (any RecordStore, RowReader) throws -> DefaultSnapshot
  ) -> Alterations {
    let shared = SharedReader()
    var alterations = Alterations()
    alterations.row = { store, query, body in
      let schema = store.schema.storeSchema
      let reader = isShared ? shared.reader(of: schema) : SnapshotReader(schema: schema)
      try store.read(query) {
        try reader.move(to: record(store, $0))
        try body(reader)
      }
    }
    return alterations
  }

  private typealias MemberRows = [(owner: Int64, record: DefaultSnapshot)]

  private static func members(
    _ name: String,
    _ rule: String,
    _ change:
      @escaping @Sendable (MemberRows, [Int64: [Int64]]) -> (MemberRows, [Int64: [Int64]])
  ) -> Saboteur {
    Saboteur(name, rule, over: sqlite) {
      var alterations = Alterations()
      alterations.memberRows = { store, property, entity, owners, body in
        var rows: MemberRows = []
        let found = try store.members(of: property, in: entity, owners: owners, wantsRows: true) {
          rows.append(($0, try record($1)))
        }
        guard case .read(let orders) = found else { return found }
        let changed = change(rows, orders)
        let reader = SnapshotReader(schema: store.schema.storeSchema)
        for row in changed.0 {
          try reader.move(to: row.record)
          try body(row.owner, reader)
        }
        return .read(orders: changed.1)
      }
      return alterations
    }
  }

  private static func saving(
    _ name: String,
    _ rule: String,
    _ save:
      @escaping @Sendable (any RecordStore, StoreChanges) throws -> StoreChangesResult
  ) -> Saboteur {
    Saboteur(name, rule, over: sqlite) {
      var alterations = Alterations()
      alterations.apply = { store, changes in
        // The rows that a rule prepares are records.
        let areRecords = (changes.insertions + changes.updates).allSatisfy(\.needsNames)
        return areRecords ? try store.apply(changes) : try save(store, changes)
      }
      return alterations
    }
  }
}

extension Saboteur {
  /// Reads a single row of a store.
  typealias RowRead =
    @Sendable (
      any RecordStore, StoreQuery, (RowReader) throws -> Void
    ) throws -> Void
}

/// One reader for all single rows.
///
/// Unchecked: rules read on one thread.
private final class SharedReader: @unchecked Sendable {
  private var reader: SnapshotReader?

  func reader(of schema: StoreSchema) -> SnapshotReader {
    let reader = reader ?? SnapshotReader(schema: schema)
    self.reader = reader
    return reader
  }
}

/// Reads each row once, and gives it as it was then.
private final class StaleRows: Sendable {
  private let known = Mutex<[StoreQuery: DefaultSnapshot]>([:])

  func read(
    _ query: StoreQuery,
    of store: any RecordStore,
    _ body: (RowReader) throws -> Void
  ) throws {
    if known.withLock({ $0[query] }) == nil {
      try store.read(query) { reader in
        let values = try reader.entity.properties.indices.map(reader.value)
        let record = DefaultSnapshot(
          persistentIdentifier: reader.identifier,
          entity: reader.entity,
          values: values
        )
        known.withLock { $0[query] = record }
      }
    }
    guard let record = known.withLock({ $0[query] }) else { return }
    let reader = SnapshotReader(schema: store.schema.storeSchema)
    try reader.move(to: record)
    try body(reader)
  }
}

/// The values of a run in reverse order.
private struct Backwards: RowProducer {
  let base: any RowProducer
  let count: Int

  static func run(_ run: RowRun, of store: any RecordStore) throws -> RowRun {
    let entity = try store.schema.storeSchema.requiredEntity(run.entityName)
    let values = Backwards(base: run.values(for: entity), count: run.count)
    return RowRun(run.identifiers, of: entity, in: store.identifier, from: values)
  }

  func write(_ position: Int, to writer: RowWriter) { base.write(count - 1 - position, to: writer) }
}

extension RowRun {
  /// Returns the first change of a run.
  fileprivate func shortened(of store: any RecordStore) throws -> RowRun {
    let entity = try store.schema.storeSchema.requiredEntity(entityName)
    return RowRun(
      RowIdentifiers(
        Array(identifiers.numbers.prefix(1)),
        areTemporary: false,
        in: identifiers.scope
      ),
      changing: properties,
      of: entity,
      in: store.identifier,
      from: values(for: entity)
    )
  }
}
