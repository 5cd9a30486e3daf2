/// The number that a program leaves to its caller.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number as the system sees it.
  public let rawValue: Int32

  /// Makes a code of any number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The program did what it was asked.
  public static let success = ExitCode(rawValue: 0)

  /// The program understood the request and could not fulfil it.
  public static let failure = ExitCode(rawValue: 1)

  /// The words on the command line make no request (`EX_USAGE` of `sysexits.h`).
  public static let usage = ExitCode(rawValue: 64)
}
