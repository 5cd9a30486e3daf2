import Foundation
import OpenSwiftData
import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = try TestClock("2026-05-01T12:00:00Z")
/// let container = try ModelContainer.ephemeral(for: Trip.self, environment: .test(clock))
/// clock.advance(by: 86_400)
/// ```
public final class TestClock: Sendable {
  private let time: Mutex<Date>

  /// Creates a clock that shows a time.
  public init(_ now: Date = Date(timeIntervalSinceReferenceDate: 0)) { time = Mutex(now) }

  /// Creates a clock that shows a time in the form `2026-05-01T12:00:00Z`.
  ///
  /// - Throws: `DataStoreError.invalidValue` for what is no such time.
  public convenience init(_ text: String) throws {
    guard let date = FixtureDate.date(from: text) else {
      throw DataStoreError(
        .invalidValue,
        "\"\(text)\" is no time; write it as 2026-05-01T12:00:00Z"
      )
    }
    self.init(date)
  }

  /// The time that the clock shows.
  public var now: Date { time.withLock { $0 } }

  /// Moves the clock by some seconds, back where they are negative.
  public func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Identifiers that are the same in every run: 1, 2, 3 in the form of a UUID.
public final class TestIdentifiers: Sendable {
  private let last = Mutex<UInt64>(0)

  /// Creates a sequence that begins with `00000000-0000-4000-8000-000000000001`.
  public init() {}

  /// The next identifier.
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
  /// The environment of a test: a clock that stands still, and identifiers that count.
  public static func test(
    _ clock: TestClock = TestClock(),
    identifiers: TestIdentifiers = TestIdentifiers()
  ) -> StoreEnvironment {
    StoreEnvironment(now: { clock.now }, makeUUID: { identifiers.next() })
  }
}
