import Foundation

/// A save for which a transaction begins, and the time until which it waits for other writers.
///
/// One time limits the waits for the sidecar lock and for SQLite's own lock, which other programs
/// take. It begins before the wait for the saves of the process, which itself has no limit: these make
/// progress. So many saves that wait while another program writes fail together, and not one timeout
/// after the other.
struct SaveRequest {
  /// The identifier by which an unknown outcome can be queried.
  let save: UUID
  private let end: ContinuousClock.Instant

  /// Creates the request of a save that begins to wait now.
  init(_ save: UUID, _ file: DatabaseFile) {
    self.save = save
    end = .now + .milliseconds(file.patience)
  }

  /// The rest of the time, in milliseconds; without any, a lock is tried once.
  var patience: Int { Int(max(.zero, ContinuousClock.now.duration(to: end)) / .milliseconds(1)) }
}
