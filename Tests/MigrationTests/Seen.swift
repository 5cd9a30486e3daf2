import OpenSwiftData
import Synchronization

/// The progress that a migration has reported.
final class Seen: Sendable {
  private let list = Mutex<[MigrationProgress]>([])

  func add(_ progress: MigrationProgress) { list.withLock { $0.append(progress) } }

  /// The steps in order, each once.
  var steps: [String] {
    list.withLock { all in
      all.map(\.step).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
  }

  /// All reports, in order.
  var all: [MigrationProgress] { list.withLock { $0 } }

  var last: MigrationProgress? { list.withLock { $0.last } }
}
