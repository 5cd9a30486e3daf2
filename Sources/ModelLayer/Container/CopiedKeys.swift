import StoreProtocol

/// The keys of all rows that are copied to one store and keep them, in ascending order.
struct CopiedKeys {
  private var rows: [(key: Int64, root: Int32)] = []
  private let roots: [String]
  private let scopes: [PersistentIdentifier.Scope]
  /// The key that no row of the originals had yet, or `nil` if it is unknown.
  private(set) var nextKey: Int64?
  /// The greatest key that was copied.
  var highest: Int64 = 0

  /// Reads the keys of hierarchies, or returns `nil` if the store cannot keep them.
  ///
  /// It cannot if it assigns keys itself, if some may have been in use there, or if two rows have
  /// the same key.
  ///
  /// - Complexity: O(*n* log *n*) in the number of rows, with 16 bytes for each.
  init?(
    of roots: [String],
    from source: ContainerCore,
    to writing: any RecordStore
  ) throws {
    guard let first = try writing.nextKey() else { return nil }
    self.roots = roots
    let readings = roots.compactMap { source.stores.byEntity[$0] }
    scopes = zip(roots, readings).map {
      PersistentIdentifier.Scope(storeIdentifier: $1.identifier, entityName: $0)
    }
    for (number, reading) in readings.enumerated() {
      for identifier in try reading.rowIdentifiers(of: .all(of: roots[number])) {
        guard let key = identifier.integerKey, key >= first else { return nil }
        rows.append((key, Int32(number)))
      }
      if let next = try reading.nextKey() { nextKey = max(nextKey ?? next, next) }
    }
    rows.sort { $0.key < $1.key }
    guard zip(rows, rows.dropFirst()).allSatisfy({ $0.key < $1.key }) else { return nil }
  }

  /// The number of rows.
  var count: Int { rows.count }

  func key(at index: Int) -> Int64 { rows[index].key }

  /// Returns ranges of rows, each of a given size.
  func windows(of size: Int) -> [Range<Int>] {
    stride(from: 0, to: rows.count, by: size).map { $0..<min($0 + size, rows.count) }
  }

  /// The identifiers of some rows in the originals, by hierarchy.
  func identifiers(in window: Range<Int>) -> [(root: String, [PersistentIdentifier])] {
    var found: [[PersistentIdentifier]] = Array(repeating: [], count: roots.count)
    for row in rows[window] {
      let root = Int(row.root)
      found[root].append(PersistentIdentifier(scope: scopes[root], key: .integer(row.key)))
    }
    return zip(roots, found).filter { !$0.1.isEmpty }.map { ($0, $1) }
  }
}

extension StoreCopy {
  /// The temporary identifiers of rows that are stored together.
  struct TemporaryIdentifiers {
    private var identifiers: [String: [PersistentIdentifier.Key: PersistentIdentifier]] = [:]
    private let schema: StoreSchema

    /// Gives each row a temporary identifier.
    init(of records: [DefaultSnapshot], schema: StoreSchema) {
      self.schema = schema
      for record in records {
        let own = record.persistentIdentifier
        identifiers[schema.root(of: own), default: [:]][own.key] = .temporary(of: own.entityName)
      }
    }

    /// The identifier of a row, or `nil` if it is not among these.
    subscript(row: PersistentIdentifier) -> PersistentIdentifier? {
      identifiers[schema.root(of: row)]?[row.key]
    }
  }
}
