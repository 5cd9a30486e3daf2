/// The number that a program leaves to its caller.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number as the system sees it.
  package let rawValue: Int32

  /// Makes a code of any number.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The program did what it was asked.
  package static let success = ExitCode(rawValue: 0)

  /// The program understood the request and could not fulfil it.
  package static let failure = ExitCode(rawValue: 1)

  /// The words on the command line make no request (`EX_USAGE` of `sysexits.h`).
  package static let usage = ExitCode(rawValue: 64)
}
