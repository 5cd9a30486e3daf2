import Foundation
import OpenSwiftData
import Synchronization

/// A clock that stops until a test advances it.
///
/// ```swift
/// let clock = try TestClock("2026-05-01T12:00:00Z")
/// let container = try ModelContainer.ephemeral(for: Trip.self, environment: .test(clock))
/// clock.advance(by: 86_400)
/// ```
public final class TestClock: Sendable {
  private let time: Mutex<Date>

  /// Creates a clock with a time.
  public init(_ now: Date = Date(timeIntervalSinceReferenceDate: 0)) { time = Mutex(now) }

  /// Creates a clock with a time in the form `2026-05-01T12:00:00Z`.
  ///
  /// - Throws: `DataStoreError.invalidValue` if the string is not such a time.
  public convenience init(_ text: String) throws {
    guard let date = FixtureDate.date(from: text) else {
      throw DataStoreError(
        .invalidValue,
        "\"\(text)\" is not a time; write it as 2026-05-01T12:00:00Z"
      )
    }
    self.init(date)
  }

  /// The current time of the clock.
  public var now: Date { time.withLock { $0 } }

  /// Advances the clock by some seconds, or moves it back if they are negative.
  public func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Identifiers that are the same in every run: 1, 2, 3 in the form of a UUID.
public final class TestIdentifiers: Sendable {
  private let last = Mutex<UInt64>(0)

  /// Creates a sequence that begins with `00000000-0000-4000-8000-000000000001`.
  public init() {}

  /// Returns the next identifier.
  public func next() -> UUID {
    let number = last.withLock { last in
      last += 1
      return last
    }
    let bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
    return UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
        bytes[7]
      )
    )
  }
}

extension StoreEnvironment {
  /// Returns the environment of a test: a stopped clock, and sequential identifiers.
  public static func test(
    _ clock: TestClock = TestClock(),
    identifiers: TestIdentifiers = TestIdentifiers()
  ) -> StoreEnvironment {
    StoreEnvironment(now: { clock.now }, makeUUID: { identifiers.next() })
  }
}
