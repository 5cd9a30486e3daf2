/// The exit code of a program.
package enum ExitCode: Int32, Sendable {
  /// The program succeeded.
  case success = 0

  /// The request was valid and failed.
  case failure = 1

  /// The command line is invalid (`EX_USAGE` of `sysexits.h`).
  case usage = 64
}
