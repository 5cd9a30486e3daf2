/// The statements that one connection keeps prepared; the least recently used is dropped first.
///
/// A statement is prepared at its second use within the uses that are remembered. Preparing one that
/// is executed only once is lost work, and drops another: a connection that many stores share has
/// more statements than it can keep.
///
/// Names are hashes of SQL and types. With a pooler, whose clients share prepared statements, equal
/// names then mean equal statements.
struct PreparedStatements {
  /// A request to the server that is part of executing a statement.
  enum Command {
    case drop(name: String)
    case prepare(name: String)
    case execute(name: String?)
  }

  /// The maximum number of prepared statements.
  let capacity: Int
  /// A Boolean value that indicates whether statements are prepared at all.
  var isEnabled: Bool
  /// The last use of each prepared statement, as a count of uses.
  private var uses: [String: UInt64] = [:]
  private var clock: UInt64 = 0
  /// The statements that were executed once, in two sets, so that the older one can be forgotten.
  private var seen: (new: Set<String>, old: Set<String>) = ([], [])
  /// The statements whose plans no longer fit, which the server still has.
  private var outdated: Set<String> = []

  init(capacity: Int, isEnabled: Bool) {
    self.capacity = capacity
    self.isEnabled = isEnabled && capacity > 0
  }

  /// Plans the requests that execute a statement.
  ///
  /// The plan takes into account what earlier statements of the round trip prepare and drop.
  mutating func commands(for statement: Statement, planned: inout Planned) -> [Command] {
    guard isEnabled, statement.isPrepared else { return [.execute(name: nil)] }
    let name = Self.name(of: statement)
    if planned.prepared.contains(name) { return [.execute(name: name)] }
    if outdated.contains(name), planned.dropped.insert(name).inserted {
      planned.prepared.insert(name)
      return [.drop(name: name), .prepare(name: name), .execute(name: name)]
    }
    if uses[name] != nil, !planned.dropped.contains(name) {
      use(name)
      return [.execute(name: name)]
    }
    guard isRepeated(name) else { return [.execute(name: nil)] }
    let kept = uses.count - planned.dropped.count + planned.prepared.count
    var commands: [Command] = []
    if kept >= capacity {
      guard let oldest = oldest(in: planned) else { return [.execute(name: nil)] }
      planned.dropped.insert(oldest)
      commands.append(.drop(name: oldest))
    }
    planned.prepared.insert(name)
    return commands + [.prepare(name: name), .execute(name: name)]
  }

  /// Returns whether a statement was executed before, and remembers it otherwise.
  private mutating func isRepeated(_ name: String) -> Bool {
    if seen.new.contains(name) || seen.old.contains(name) { return true }
    if seen.new.count >= capacity { seen = ([], seen.new) }
    seen.new.insert(name)
    return false
  }

  private mutating func use(_ name: String) {
    clock += 1
    uses[name] = clock
  }

  /// Returns the least recently used statement that the round trip does not use, or `nil` if there
  /// is none.
  private func oldest(in planned: Planned) -> String? {
    let idle = uses.lazy.filter { name, use in
      use <= planned.start && !planned.dropped.contains(name)
    }
    return idle.min { $0.value < $1.value }?.key
  }

  /// Begins the plan of a round trip.
  func plan() -> Planned { Planned(start: clock) }

  /// The changes of one round trip that the server has not confirmed.
  struct Planned {
    /// The number of uses before the round trip.
    fileprivate let start: UInt64
    fileprivate var prepared: Set<String> = []
    fileprivate var dropped: Set<String> = []
  }

  /// Records that the server carried out a request.
  mutating func confirm(_ command: Command) {
    switch command {
    case .drop(let name):
      uses[name] = nil
      outdated.remove(name)
    case .prepare(let name): use(name)
    case .execute: break
    }
  }

  /// Marks a statement to be prepared again at its next use, because its plan no longer fits the
  /// tables.
  mutating func outdate(_ name: String) {
    if uses[name] != nil { outdated.insert(name) }
  }

  /// Drops all statements and prepares no others, since a pooler assigns the session to other
  /// clients.
  mutating func forget() {
    uses.removeAll()
    outdated.removeAll()
    isEnabled = false
  }

  /// Returns the name of a statement: a hash of its SQL and types in 128 bits (FNV-1a).
  static func name(of statement: Statement) -> String {
    let prime: UInt128 = (1 << 88) + 0x13B
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for byte in statement.sql.utf8 { hash = (hash ^ UInt128(byte)) &* prime }
    for parameter in statement.parameters {
      hash = (hash ^ UInt128(parameter.typeID)) &* prime
    }
    // Conversions of integers to text cost more than the hash.
    return String(unsafeUninitializedCapacity: 36) { bytes in
      _ = bytes.initialize(from: "osd_".utf8)
      for index in 4..<36 {
        let digit = UInt8(truncatingIfNeeded: hash) & 15
        bytes.initializeElement(at: index, to: digit + (digit < 10 ? 48 : 87))
        hash >>= 4
      }
      return 36
    }
  }
}
