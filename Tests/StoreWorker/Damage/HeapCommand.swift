import CSQLite
import Foundation
import OpenSwiftData

/// Opens, saves and reads a SQLite store while SQLite has only so much memory.
struct HeapTrial {
  private let store: DamagedStore
  /// The contents before each ceiling.
  private var expected: Exhibit.State

  init(_ url: String) throws {
    store = try DamagedStore(url)
    try store.clear()
    let container = try store.open()
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(Damage.Specimen(code: "h\(number)")) }
    try context.save()
    expected = try store.state(of: container)
  }

  /// One line for each ceiling: the bytes above what was in use, and what came of it.
  static func run(_ url: String, count: Int) throws {
    var trial = try HeapTrial(url)
    for number in 0..<count {
      alarm(30)
      // Close together at first, where opening fails, then further apart.
      let share = Double(number) / Double(count)
      let ceiling = Int(share * share * 4_000_000)
      Output.line("\(number + 1) \(trial.verdict(ceiling))")
    }
    alarm(0)
  }

  /// Works below a ceiling, then without one, and looks at what is stored.
  private mutating func verdict(_ ceiling: Int) -> String {
    let code = "below \(ceiling)"
    var outcome = "saved"
    do {
      try limited(to: ceiling) { try use(code) }
    } catch {
      guard error is DataStoreError || error is SwiftDataError else {
        return "WRONG untyped error: \(error.sentence)"
      }
      outcome = "failed \(error.word)"
    }
    do {
      return try settle(code, outcome)
    } catch {
      return "WRONG after the ceiling of \(ceiling): \(error.sentence)"
    }
  }

  /// Runs a body while SQLite may have no more memory than now and so many bytes.
  private func limited(to ceiling: Int, _ body: () throws -> Void) rethrows {
    // A limit of 0 is none, and a lower one is kept below what is in use.
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + 1 + Int64(ceiling))
    defer { sqlite3_hard_heap_limit64(0) }
    try body()
  }

  private func use(_ code: String) throws {
    let container = try store.open()
    _ = try store.state(of: container)
    let context = ModelContext(container)
    context.insert(Damage.Specimen(code: code))
    try context.save()
    _ = try context.touchDamaged()
  }

  /// The rows are those of before or after the save; the same save succeeds now.
  private mutating func settle(_ code: String, _ outcome: String) throws -> String {
    let container = try store.open()
    let found = try store.state(of: container)
    let isSaved = found.joined().contains { $0["code"] == .string(code) }
    let others = found.map { $0.filter { $0["code"] != .string(code) } }
    guard others == expected else { return "WRONG other rows than before" }
    if outcome == "saved", !isSaved { return "WRONG an acknowledged save is lost" }
    if outcome == "failed notSaved", isSaved { return "WRONG notSaved, and it is there" }
    let context = ModelContext(container)
    if !isSaved { context.insert(Damage.Specimen(code: code)) }
    try context.save()
    try context.delete(model: Damage.Specimen.self, where: #Predicate { $0.code == code })
    try context.save()
    expected = try store.state(of: container)
    guard expected == others else { return "WRONG the same save changed other rows" }
    return outcome
  }
}
