import Foundation
import Synchronization

/// A process that was started by a test.
///
/// Foundation's own (Swift 6.3, Linux) can wait for ever for a process that has ended while another
/// thread waits for one too.
final class ChildProcess {
  /// How a process came to its end.
  enum End: Equatable {
    case exited(code: Int32)
    case killed(signal: Int32)
  }

  /// A process that could not be started, or that a signal ended.
  struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// What the process writes to its standard output.
  let output: FileHandle
  /// What the process writes to its standard error.
  let errors: FileHandle
  private let identifier: pid_t

  // A process that starts while another's pipes are open for writing would hold them open.
  private static let starting = Mutex<Void>(())

  /// Starts a program without input, and without the variable that names a store.
  init(_ path: String, _ words: [String]) throws {
    let output = Pipe()
    let errors = Pipe()
    identifier = try Self.starting.withLock { _ in
      let started = try Self.start(path, words, output: output, errors: errors)
      try output.fileHandleForWriting.close()
      try errors.fileHandleForWriting.close()
      return started
    }
    self.output = output.fileHandleForReading
    self.errors = errors.fileHandleForReading
  }

  /// Ends the process at once, or as another signal has it.
  func kill(by signal: Int32 = SIGKILL) {
    Foundation.kill(identifier, signal)
  }

  /// Waits until the process has ended.
  func wait() -> End {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exited(code: (status >> 8) & 0xFF) : .killed(signal: status & 0x7F)
  }

  private static func start(
    _ path: String,
    _ words: [String],
    output: Pipe,
    errors: Pipe
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (pipe, descriptor) in [(output, Int32(1)), (errors, Int32(2))] {
      let writing = pipe.fileHandleForWriting.fileDescriptor
      posix_spawn_file_actions_adddup2(&actions, writing, descriptor)
      posix_spawn_file_actions_addclose(&actions, writing)
      posix_spawn_file_actions_addclose(&actions, pipe.fileHandleForReading.fileDescriptor)
    }
    var environment = ProcessInfo.processInfo.environment
    environment["DATASTORE_URL"] = nil
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    let arguments = ([path] + words).map { strdup($0) } + [nil]
    defer { for text in variables + arguments { free(text) } }
    var identifier: pid_t = 0
    guard posix_spawn(&identifier, path, &actions, nil, arguments, variables) == 0 else {
      throw Failure(path)
    }
    return identifier
  }
}
