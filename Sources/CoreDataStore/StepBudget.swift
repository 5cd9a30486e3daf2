import CSQLite
import Synchronization

/// The most steps that SQLite takes for a statement.
///
/// Damaged pages that refer to each other can make a small file endless.
final class StepBudget: Sendable {
  private static let stepsOfCall: Int32 = 100_000
  private static let minimumCalls = 100

  private let maximumCalls: Int
  private let calls = Atomic(0)

  /// Creates the budget for a database of a size in bytes.
  init(size: Int) {
    // A row of a few bytes takes some hundred steps at the most.
    maximumCalls = Self.minimumCalls + size / (Int(Self.stepsOfCall) / 100)
  }

  /// Makes a connection count its steps; it must not outlive the budget.
  func install(on connection: OpaquePointer) {
    sqlite3_progress_handler(
      connection,
      Self.stepsOfCall,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StepBudget>.fromOpaque(context).takeUnretainedValue().isExceeded() ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Begins to count for another statement.
  func renew() { calls.store(0, ordering: .relaxed) }

  private func isExceeded() -> Bool {
    calls.wrappingAdd(1, ordering: .relaxed).newValue > maximumCalls
  }
}
