import Foundation
import Synchronization

/// The environment of stores: the time, unique identifiers, and the process identifier.
///
/// A test sets it, and a store that uses it instead of the system behaves identically in every run:
///
/// ```swift
/// let noon = StoreEnvironment(now: { Date(timeIntervalSince1970: 43_200) })
/// try StoreEnvironment.$current.withValue(noon) { try context.save() }
/// ```
///
/// The built-in stores use it for the time of a save, for their history, and for the identifier of
/// a new store. A program may use it for the initial values of its own models.
public struct StoreEnvironment: Sendable {
  /// The environment of the current task; by default, the system's.
  @TaskLocal public static var current = StoreEnvironment()

  /// A closure that returns the current time.
  public var now: @Sendable () -> Date
  /// A closure that creates an identifier.
  public var makeUUID: @Sendable () -> UUID
  /// A closure that creates an identifier of a save.
  public var makeSaveIdentifier: @Sendable () -> UUID
  /// The process identifier, for the history.
  package var processIdentifier: String

  /// The process identifier.
  package static let ownProcess = String(ProcessInfo.processInfo.processIdentifier)

  /// Creates an environment; omitted values are the system's.
  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeUUID: @escaping @Sendable () -> UUID = { UUID() },
    makeSaveIdentifier: (@Sendable () -> UUID)? = nil,
    processIdentifier: String = StoreEnvironment.ownProcess
  ) {
    self.processIdentifier = processIdentifier
    self.makeSaveIdentifier = makeSaveIdentifier ?? { .random }
    self.now = now
    self.makeUUID = makeUUID
  }
}

extension UUID {
  /// A new random identifier like `UUID()`, which opens a file on some systems.
  ///
  /// Each random number is a system call, so one half counts on from the first one. The other half
  /// distinguishes the identifiers of a forked process from those of its parent.
  fileprivate static var random: UUID {
    let number = numbers.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    return UUID((number, .random(in: .min ... .max)), version: 4)
  }
  private static let numbers = Atomic(UInt64.random(in: .min ... .max))

  /// Creates an identifier from bits, with a version and the variant of RFC 9562.
  package init(_ bits: (UInt64, UInt64), version: UInt64) {
    let first = bits.0 & ~0xF000 | version << 12
    let second = bits.1 & ~(3 << 62) | 2 << 62
    self = withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
