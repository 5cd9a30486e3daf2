import StoreProtocol
import Synchronization

/// A value of a Core Data file that cannot be read.
public struct UnreadableValue: Hashable, Sendable {
  /// The kinds of reasons why values cannot be read.
  public enum Kind: String, Codable, Hashable, Sendable {
    /// The stored value is not of the attribute's type.
    case damaged
    /// A required attribute has no value.
    case missing
    /// The value is in a file next to the store, which cannot be read.
    case externalFile
    /// A relationship refers to a row that does not exist.
    case dangling
  }

  /// The object that has the value.
  public let identifier: PersistentIdentifier
  /// The name of the property.
  public let property: String
  /// The kind of the reason.
  public let kind: Kind
  /// The reason why the value cannot be read.
  public let reason: String
}

/// The treatment of values that cannot be read.
public enum UnreadableValuePolicy: String, Hashable, Sendable, CaseIterable {
  /// Reading the row throws ``DataStoreError/invalidValue``.
  case fail
  /// The value is the model's default, or absent, and ``CoreDataStore/unreadableValues`` contains
  /// it.
  case omit
}

/// The values that could not be read so far.
final class UnreadableValues: Sendable {
  private struct Found {
    var values: Set<UnreadableValue> = []
    var count = 0
    var absentAttributes: Set<String> = []
  }

  private let policy: UnreadableValuePolicy
  private let found = Mutex(Found())
  /// The maximum number of values that are kept.
  static let maximum = 10_000

  init(_ policy: UnreadableValuePolicy) {
    self.policy = policy
  }

  /// All values that were found, in the order of their rows.
  var all: [UnreadableValue] {
    found.withLock { found in
      found.values.sorted { ($0.identifier, $0.property) < ($1.identifier, $1.property) }
    }
  }

  /// The number of values that were found; beyond the maximum, each read counts again.
  var count: Int { found.withLock { $0.count } }

  /// The required attributes (`Person.name`) that had no value and have no default.
  var absentAttributes: Set<String> { found.withLock { $0.absentAttributes } }

  /// Throws for a value, or records it and returns its replacement.
  func replacement(
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
    let value = UnreadableValue(
      identifier: row,
      property: property.name,
      kind: problem.kind,
      reason: problem.reason
    )
    let substitute = property.isOptional ? .null : property.defaultValue ?? .null
    let isAbsent = substitute.isNull && !property.isOptional && property.attributeType != nil
    found.withLock { found in
      if isAbsent { found.absentAttributes.insert("\(row.entityName).\(property.name)") }
      let isNew =
        found.values.count < Self.maximum
        ? found.values.insert(value).inserted : !found.values.contains(value)
      if isNew { found.count += 1 }
    }
    return substitute
  }
}
