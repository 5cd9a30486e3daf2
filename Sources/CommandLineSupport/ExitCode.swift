/// The exit code of a program.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number for the system.
  package let rawValue: Int32

  /// Creates a code from any number.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The program succeeded.
  package static let success = ExitCode(rawValue: 0)

  /// The request was valid and failed.
  package static let failure = ExitCode(rawValue: 1)

  /// The command line is invalid (`EX_USAGE` of `sysexits.h`).
  package static let usage = ExitCode(rawValue: 64)
}
