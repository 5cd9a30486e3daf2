import Foundation

/// The way in which a thread waits for the saves of others.
///
/// A queue of bodies lets another thread run bodies meanwhile. A task that begins in a body inherits the
/// way, and its threads do nothing but wait.
// A type of its own: the value of a task-local property whose type is a function ends a program that is
// linked with the static library (Swift 6.3.1, release).
package struct SaveWaiting: Sendable {
  /// The way of a thread, or `nil` if it does nothing but wait.
  @TaskLocal package static var current: SaveWaiting?

  // Threads are not `Sendable`; this one is only compared.
  private nonisolated(unsafe) let thread = Thread.current
  private let run: @Sendable (_ wait: () -> Void) -> Void
  private let others: @Sendable () -> Void

  /// Creates the way of this thread.
  ///
  /// - Parameters:
  ///   - others: Waits for bodies that need nothing but a thread.
  ///   - run: Runs another function, which waits.
  package init(
    afterOthers others: @escaping @Sendable () -> Void = {},
    _ run: @escaping @Sendable (_ wait: () -> Void) -> Void
  ) {
    self.run = run
    self.others = others
  }

  /// Lets bodies go first that need nothing but a thread, so that their saves are in one group with the
  /// save of this one.
  package func letOthersRun() {
    if thread === Thread.current { others() }
  }

  /// Runs a function that waits.
  package func callAsFunction(_ wait: () -> Void) {
    if thread === Thread.current { run(wait) } else { wait() }
  }
}
