import StoreProtocol

/// Steps on a store, after each of which everything visible must equal the model of the contract.
///
/// A failure of the machine prints a shrunk case as a test. Paste it into a file that imports
/// Foundation, `StoreConformance` and the store.
public struct MachineCase: Hashable, Sendable {
  /// A step of a case.
  public enum Step: Hashable, Sendable {
    /// A save.
    case save(MachineBatch)
    /// A save by another thread while this one reads one state.
    case meanwhile(MachineBatch)
    /// Random queries, selections and requests of the history, by their seed.
    case ask(UInt64)
    /// Deletes transactions of the history, by the numbers of the saves of the case, or all of them.
    case forget([Int])
    /// A reader of the history moves to a save of the case, or is removed.
    case reader(String, Int?)
    /// The store is closed and opened again.
    case reopen
    /// All rows are erased.
    case erase
  }

  /// The steps in order.
  public var steps: [Step]

  /// Creates a case.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Runs the steps on a new store.
  ///
  /// - Throws: The ``RuleViolation`` that a step causes.
  public func check(_ fixture: some StoreFixture) throws {
    let bench = try StoreBench(fixture)
    defer { bench.destroy() }
    try check(bench)
  }

  /// Runs the steps, and compares everything visible after each of them or after the last.
  func check(_ bench: StoreBench, comparesAll: Bool = true) throws {
    var player = try MachinePlayer(bench)
    for (index, step) in steps.enumerated() {
      do {
        try player.play(step)
        if comparesAll || index == steps.count - 1 { try player.compareAll() }
      } catch {
        let violation = RuleViolation.wrapping(error, as: "the store works")
        throw violation.within("step \(index + 1)")
      }
    }
  }

  /// Returns the violation on a store beside another, or `nil` if there is none.
  func violation(beside bench: StoreBench, comparesAll: Bool = true) -> RuleViolation? {
    do {
      try bench.withNeighbour { try check($0, comparesAll: comparesAll) }
      return nil
    } catch {
      return error as? RuleViolation
    }
  }
}

/// The changes of one save of a ``MachineCase``; rows have numbers.
public struct MachineBatch: Hashable, Sendable {
  /// A bulk change of the rows of an entity whose `count` is at least a number.
  public struct Bulk: Hashable, Sendable {
    /// The entity.
    public var entity: String
    /// Whether rows of subentities are changed too.
    public var includesSubentities: Bool
    /// The smallest `count` of the changed rows, or `nil` for all rows.
    public var least: Int64?
    /// Whether the rows are deleted; otherwise their `count` increases by one.
    public var isDeletion: Bool

    /// Creates a bulk change.
    public init(
      _ entity: String,
      includesSubentities: Bool = true,
      least: Int64? = nil,
      isDeletion: Bool = false
    ) {
      self.entity = entity
      self.includesSubentities = includesSubentities
      self.least = least
      self.isDeletion = isDeletion
    }
  }

  /// The bulk changes.
  public var bulk: [Bulk]
  /// The new rows with their values.
  public var inserted: [DifferentialRow]
  /// The changed rows with the changed values only.
  public var updated: [DifferentialRow]
  /// The rows to delete.
  public var deleted: [Int64]
  /// The rows of `deleted` that a delete rule deletes.
  public var cascaded: Set<Int64>
  /// The references of `updated` that a delete rule clears, by row.
  public var cleared: [Int64: [String]]
  /// The given keys of new rows, as distances from the next key, by row.
  public var keys: [Int64: Int64]
  /// The key that the batch raises the next key to, as a distance from the next key.
  public var nextKey: Int64?
  /// The rows whose version the batch expects, and whether it expects their current one.
  public var expecting: [Int64: Bool]
  /// Whether each new record must become a new row.
  public var requiresNew: Bool
  /// Whether no item may lose its box, and no box its tool, because of the save.
  public var protects: Bool
  /// Whether the store must throw for the batch.
  ///
  /// It also has a new row or a change that refers to a record of no batch or, without new rows, an update
  /// of a row that never existed.
  public var isSpoiled: Bool
  /// The readers of the history that move with the save, to the saves of the case with these numbers.
  public var readers: [String: Int]
  /// Whether the store reads the values from producers, by the methods of their types.
  public var isProduced: Bool
  /// The author of the save.
  public var author: String?
  /// The time of the save, in seconds.
  public var time: Int

  /// Creates a batch.
  public init(
    bulk: [Bulk] = [],
    inserted: [DifferentialRow] = [],
    updated: [DifferentialRow] = [],
    deleted: [Int64] = [],
    cascaded: Set<Int64> = [],
    cleared: [Int64: [String]] = [:],
    keys: [Int64: Int64] = [:],
    nextKey: Int64? = nil,
    expecting: [Int64: Bool] = [:],
    requiresNew: Bool = false,
    protects: Bool = false,
    isSpoiled: Bool = false,
    readers: [String: Int] = [:],
    isProduced: Bool = false,
    author: String? = nil,
    time: Int = 0
  ) {
    self.bulk = bulk
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.cascaded = cascaded
    self.cleared = cleared
    self.keys = keys
    self.nextKey = nextKey
    self.expecting = expecting
    self.requiresNew = requiresNew
    self.protects = protects
    self.isSpoiled = isSpoiled
    self.readers = readers
    self.isProduced = isProduced
    self.author = author
    self.time = time
  }
}
