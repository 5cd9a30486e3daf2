import CSQLite
import Synchronization

/// The maximum number of steps that SQLite takes for a statement.
///
/// Damaged pages that refer to each other can make reading a small file endless.
final class StepBudget: Sendable {
  private static let stepsOfCall: Int32 = 100_000
  private static let minimumCalls = 100

  private let maximumCalls: Int
  private let calls = Atomic(0)

  /// Creates the budget for a database with a size in bytes.
  init(size: Int) {
    // A row of a few bytes takes at most some hundred steps.
    maximumCalls = Self.minimumCalls + size / (Int(Self.stepsOfCall) / 100)
  }

  /// Installs the budget on a connection, which must not outlive it.
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

  /// Resets the count for another statement.
  func renew() { calls.store(0, ordering: .relaxed) }

  private func isExceeded() -> Bool {
    calls.wrappingAdd(1, ordering: .relaxed).newValue > maximumCalls
  }
}
