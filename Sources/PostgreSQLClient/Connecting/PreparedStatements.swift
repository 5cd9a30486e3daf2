/// The statements that one connection keeps prepared; the least recently used is dropped first.
///
/// A statement is prepared at its second use within the uses that are remembered. Preparing one that
/// is executed only once is lost work, and drops another: a connection that many stores share has
/// more statements than it can keep.
///
/// Names are hashes of SQL and types. With a pooler, whose clients share prepared statements, equal
/// names then mean equal statements.
struct PreparedStatements {
  /// The name of a statement: a hash of its SQL and types in 128 bits.
  struct Name: Hashable {
    private let hash: UInt128
  }

  /// A request to the server that is part of executing a statement.
  enum Command {
    case drop(name: Name)
    case prepare(name: Name)
    case execute(name: Name?)
  }

  /// The maximum number of prepared statements.
  let capacity: Int
  /// A Boolean value that indicates whether statements are prepared at all.
  var isEnabled: Bool
  /// The last use of each prepared statement, as a count of uses.
  private var uses: [Name: UInt64] = [:]
  private var clock: UInt64 = 0
  /// The statements that were executed once, in two sets, so that the older one can be forgotten.
  private var seen: (new: Set<Name>, old: Set<Name>) = ([], [])
  /// The statements whose plans no longer fit, which the server still has.
  private var outdated: Set<Name> = []

  init(capacity: Int, isEnabled: Bool) {
    self.capacity = capacity
    self.isEnabled = isEnabled && capacity > 0
  }

  /// Plans the requests that execute a statement.
  ///
  /// The plan takes into account what earlier statements of the round trip prepare and drop.
  mutating func appendCommands(
    for statement: Statement,
    to commands: inout [Command],
    planned: inout Planned
  ) {
    guard isEnabled, statement.isPrepared else { return commands.append(.execute(name: nil)) }
    let name = Name(of: statement)
    if planned.prepared.contains(name) { return commands.append(.execute(name: name)) }
    if outdated.contains(name), planned.dropped.insert(name).inserted {
      planned.prepared.insert(name)
      commands += [.drop(name: name), .prepare(name: name), .execute(name: name)]
      return
    }
    if let index = uses.index(forKey: name), !planned.dropped.contains(name) {
      clock += 1
      uses.values[index] = clock
      return commands.append(.execute(name: name))
    }
    guard isRepeated(name) else { return commands.append(.execute(name: nil)) }
    let kept = uses.count - planned.dropped.count + planned.prepared.count
    if kept >= capacity {
      guard let oldest = oldest(in: planned) else { return commands.append(.execute(name: nil)) }
      planned.dropped.insert(oldest)
      commands.append(.drop(name: oldest))
    }
    planned.prepared.insert(name)
    commands += [.prepare(name: name), .execute(name: name)]
  }

  /// Returns whether a statement was executed before, and remembers it otherwise.
  private mutating func isRepeated(_ name: Name) -> Bool {
    if seen.new.contains(name) || seen.old.contains(name) { return true }
    if seen.new.count >= capacity { seen = ([], seen.new) }
    seen.new.insert(name)
    return false
  }

  /// Returns the least recently used statement that the round trip does not use, or `nil` if there
  /// is none.
  private func oldest(in planned: Planned) -> Name? {
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
    fileprivate var prepared: Set<Name> = []
    fileprivate var dropped: Set<Name> = []
  }

  /// Records that the server carried out a request.
  mutating func confirm(_ command: Command) {
    switch command {
    case .drop(let name):
      uses[name] = nil
      outdated.remove(name)
    case .prepare(let name):
      clock += 1
      uses[name] = clock
    case .execute: break
    }
  }

  /// Marks a statement to be prepared again at its next use, because its plan no longer fits the
  /// tables.
  mutating func outdate(_ name: Name) {
    if uses[name] != nil { outdated.insert(name) }
  }

  /// Marks all statements to be prepared again at their next use.
  mutating func outdateAll() { outdated.formUnion(uses.keys) }

  /// Drops all statements and prepares no others, since a pooler assigns the session to other
  /// clients.
  mutating func forget() {
    uses.removeAll()
    outdated.removeAll()
    isEnabled = false
  }
}

extension PreparedStatements.Name {
  init(of statement: Statement) {
    var hash = Hash()
    var sql = statement.sql
    sql.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
    for parameter in statement.parameters { hash.add(UInt64(parameter.typeID)) }
    self.hash = hash.value
  }

  private struct Hash {
    var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    mutating func add(_ word: UInt64) {
      value = (value ^ UInt128(word)) &* 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645
      // The multiplication moves bits upward only.
      value ^= value >> 64
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      add(UInt64(bytes.count))
      let end = bytes.count & ~7
      for start in stride(from: 0, to: end, by: 8) {
        add(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      }
      add(bytes[end...].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  /// Calls a function with the name in SQL, of letters that each stand for four bits.
  func withText<Result>(_ body: (LibPQ.CString) -> Result) -> Result {
    // A string for each use would cost more than the hash.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 37) { text in
      let prefix: StaticString = "osd_"
      for index in 0..<4 { text.initializeElement(at: index, to: CChar(prefix.utf8Start[index])) }
      for index in 0..<32 {
        let digit = CChar(truncatingIfNeeded: hash >> (index * 4)) & 15
        text.initializeElement(at: 4 + index, to: 97 + digit)
      }
      text.initializeElement(at: 36, to: 0)
      return body(UnsafePointer(text.baseAddress))
    }
  }
}
