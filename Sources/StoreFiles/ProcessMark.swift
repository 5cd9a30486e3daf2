import Synchronization

/// A mark that distinguishes a process from its forks, which inherit its open files.
///
/// A system call for the process identifier takes a tenth of the time of a fetch by key. A counter
/// that each fork increments in the child has the same effect.
package struct ProcessMark: Sendable {
  private let number: Int32

  /// Whether the calling process is the process of the mark.
  package var isCurrent: Bool { number == ProcessMark.current.number }

  /// The mark of the calling process.
  package static var current: ProcessMark {
    // If the system does not report forks, it is asked for the process identifier.
    ProcessMark(number: countsForks ? forks.load(ordering: .relaxed) : Syscalls.processIdentifier)
  }

  private static let forks = Atomic<Int32>(0)

  private static let countsForks: Bool = {
    // Initialized before any child reads it.
    forks.store(0, ordering: .relaxed)
    return Syscalls.tellOfForks { ProcessMark.noteFork() }
  }()

  private static func noteFork() { forks.add(1, ordering: .relaxed) }
}
