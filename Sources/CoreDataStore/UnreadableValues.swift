import StoreProtocol
import Synchronization

/// A value of a Core Data file that cannot be read.
public struct UnreadableValue: Hashable, Sendable {
  /// The object that has it.
  public let identifier: PersistentIdentifier
  /// The property.
  public let property: String
  /// Why it cannot be read.
  public let reason: String
}

/// What becomes of values that cannot be read.
public enum UnreadableValuePolicy: String, Hashable, Sendable, CaseIterable {
  /// Reading the row throws ``DataStoreError/invalidValue``.
  case fail
  /// The value is the model's default, or absent, and is listed in
  /// ``CoreDataStore/unreadableValues``.
  case omit
}

/// The values that could not be read so far.
final class UnreadableValues: Sendable {
  private let policy: UnreadableValuePolicy
  private let found = Mutex<Set<UnreadableValue>>([])
  /// The most values that are kept.
  static let maximum = 10_000

  init(_ policy: UnreadableValuePolicy) {
    self.policy = policy
  }

  /// All values that were found, in the order of their rows.
  var all: [UnreadableValue] {
    found.withLock { values in
      values.sorted { ($0.identifier, $0.property) < ($1.identifier, $1.property) }
    }
  }

  /// Throws for a value, or notes it and returns what stands in for it.
  func settle(
    _ problem: AttributeReader.Problem,
    _ property: StoreProperty,
    of row: PersistentIdentifier,
    path: String
  ) throws -> StoreValue {
    guard policy == .omit else {
      throw DataStoreError(
        .invalidValue,
        "the value of row \(row.integerKey ?? 0) cannot be read: \(problem.reason)",
        entity: row.entityName,
        property: property.name,
        identifiers: [row],
        file: path,
        cause: problem.cause
      )
    }
    let value = UnreadableValue(identifier: row, property: property.name, reason: problem.reason)
    found.withLock { if $0.count < Self.maximum { $0.insert(value) } }
    return property.isOptional ? .null : property.defaultValue ?? .null
  }
}
