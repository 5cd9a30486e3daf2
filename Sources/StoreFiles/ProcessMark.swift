import Synchronization

/// Tells a process from those that were forked from it, which inherit its open files.
///
/// Asking the system who one is costs a call each time, which is a tenth of what a fetch by key takes.
/// A counter that each fork raises in the child says the same.
package struct ProcessMark: Sendable {
  private let number: Int32

  /// Whether the process that calls is the one of the mark.
  package var isCurrent: Bool { number == ProcessMark.current.number }

  /// The process that calls.
  package static var current: ProcessMark {
    // Where the system does not tell of forks it has to be asked.
    ProcessMark(number: isTold ? forks.load(ordering: .relaxed) : Syscalls.processIdentifier)
  }

  private static let forks = Atomic<Int32>(0)

  private static let isTold: Bool = {
    // Made before any child looks at it.
    forks.store(0, ordering: .relaxed)
    return Syscalls.tellOfForks { ProcessMark.noteFork() }
  }()

  private static func noteFork() { forks.add(1, ordering: .relaxed) }
}
