/// The statements that one connection keeps prepared; the least recently used is dropped first.
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
  /// The time of each statement's last use, as a count of uses.
  private var uses: [String: UInt64] = [:]
  private var clock: UInt64 = 0
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
    clock += 1
    if planned.prepared.contains(name) { return [.execute(name: name)] }
    if outdated.contains(name), planned.dropped.insert(name).inserted {
      planned.prepared.insert(name)
      return [.drop(name: name), .prepare(name: name), .execute(name: name)]
    }
    if uses[name] != nil, !planned.dropped.contains(name) {
      uses[name] = clock
      planned.used.insert(name)
      return [.execute(name: name)]
    }
    let kept = uses.count - planned.dropped.count + planned.prepared.count
    var commands: [Command] = []
    if kept >= capacity {
      let idle = uses.filter { !planned.used.contains($0.key) && !planned.dropped.contains($0.key) }
      guard let oldest = idle.min(by: { $0.value < $1.value })?.key else {
        return [.execute(name: nil)]
      }
      planned.dropped.insert(oldest)
      commands.append(.drop(name: oldest))
    }
    planned.prepared.insert(name)
    return commands + [.prepare(name: name), .execute(name: name)]
  }

  /// The changes of one round trip that the server has not confirmed.
  struct Planned {
    var prepared: Set<String> = []
    var dropped: Set<String> = []
    var used: Set<String> = []
  }

  /// Records that the server carried out a request.
  mutating func confirm(_ command: Command) {
    switch command {
    case .drop(let name):
      uses[name] = nil
      outdated.remove(name)
    case .prepare(let name): uses[name] = clock
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
    // Two halves, since the conversion of wide integers is slow.
    let halves = [UInt64(truncatingIfNeeded: hash >> 64), UInt64(truncatingIfNeeded: hash)]
    return "osd_" + halves.map { String($0, radix: 36) }.joined(separator: "_")
  }
}
