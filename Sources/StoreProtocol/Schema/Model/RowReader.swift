import Foundation

/// A reader of stored rows, value by value in the order of the entity's properties.
///
/// For speed, a store provides a subclass that reads directly from its own representation. All
/// methods except ``value(at:)`` have a default that uses it. A store moves one reader along many
/// rows.
open class RowReader {
  /// The entity of the current row.
  public final var entity: StoreEntity
  /// The identifiers of to-one relationships with non-integer keys, by property index.
  package final var textReferences: [(index: Int, identifier: PersistentIdentifier)] {
    get { own.textReferences }
    set { own.textReferences = newValue }
  }
  /// The keys of the next rows, starting with the current one, if a store accesses rows in random
  /// order and has these keys.
  ///
  /// The user of the reader empties the list.
  package final var keysToPrefetch: [Int64] {
    get { own.keysToPrefetch }
    set { own.keysToPrefetch = newValue }
    _modify { yield &own.keysToPrefetch }
  }
  /// The common part of the identifiers of rows like the current one.
  ///
  /// A store sets it whenever the entity of the rows changes, and shares one instance for all rows
  /// of an entity.
  public final var scope: PersistentIdentifier.Scope? {
    get { own.scope }
    set { own.scope = newValue }
  }
  /// The key of the current row, which a store sets for each row.
  public final var key: PersistentIdentifier.Key {
    get { own.otherKey ?? .integer(own.number) }
    set {
      if case .integer(let number) = newValue {
        own.number = number
        if own.otherKey != nil { own.otherKey = nil }
      } else {
        own.otherKey = newValue
      }
    }
  }
  /// The identifier of the current row: its ``scope`` and ``key``.
  package final var identifier: PersistentIdentifier {
    get {
      let scope = own.scope ?? .init(storeIdentifier: nil, entityName: entity.name)
      return PersistentIdentifier(scope: scope, key: key)
    }
    set {
      if own.scope !== newValue.scope { own.scope = newValue.scope }
      key = newValue.key
    }
  }
  /// The integer key of the current row, or `nil` if its key is not an integer.
  package final var number: Int64? { own.otherKey == nil ? own.number : nil }

  private struct Own {
    var number: Int64 = 0
    var otherKey: PersistentIdentifier.Key?
    var textReferences: [(index: Int, identifier: PersistentIdentifier)] = []
    var keysToPrefetch: [Int64] = []
    var scope: PersistentIdentifier.Scope?
  }

  // Accessed for each row, in accesses that never overlap. The attribute applies in this module
  // only, so other modules use computed properties.
  @exclusivity(unchecked) private final var own = Own()

  /// Creates a reader for rows of an entity, which a store may set later.
  public init(entity: StoreEntity? = nil) {
    self.entity = entity ?? .unnamed
  }

  /// Returns whether the current row has a given scope, which is not `nil`.
  package final func isIn(_ other: PersistentIdentifier.Scope?) -> Bool {
    own.scope === other && other != nil
  }

  /// Whether ``keysToPrefetch`` or ``textReferences`` has any elements.
  package final var hasNotes: Bool { !own.keysToPrefetch.isEmpty || !own.textReferences.isEmpty }

  /// The version of the current row, or 0 if the store keeps none.
  ///
  /// It is the number of the save that last changed the row, as in ``StoreChangesResult/version``.
  /// Two reads with the same version return the same values, except for references to rows that
  /// were deleted in between, which are `nil`.
  open var version: Int64 { 0 }

  /// Returns whether the store left the value of an attribute out of the current row.
  ///
  /// Such a value is not read now; a context requests it by name when the program accesses it. A
  /// store may leave out a property that was not requested (``StoreQuery/properties``), or whose
  /// value it keeps outside the row.
  open func isDeferred(at index: Int) -> Bool { false }

  /// Returns the value of a property, or ``StoreValue/null`` if there is none.
  open func value(at index: Int) throws -> StoreValue { .null }

  /// Returns whether a property has no value.
  open func isNull(at index: Int) throws -> Bool { try value(at: index).isNull }

  /// Returns an integer.
  open func integer(at index: Int) throws -> Int64 { try scalar(Int64.self, at: index) }

  /// Returns a floating-point number.
  open func double(at index: Int) throws -> Double { try scalar(Double.self, at: index) }

  /// Returns a Boolean.
  open func bool(at index: Int) throws -> Bool { try scalar(Bool.self, at: index) }

  /// Returns a string.
  open func string(at index: Int) throws -> String { try scalar(String.self, at: index) }

  /// Returns a date.
  open func date(at index: Int) throws -> Date { try scalar(Date.self, at: index) }

  /// Returns the key of the related object of a to-one relationship, or `nil` if there is none.
  open func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    switch try value(at: index) {
    case .identifier(let identifier): identifier.key
    case .null: nil
    default: throw invalid(try value(at: index), at: index, expected: "an identifier")
    }
  }

  /// Returns the objects of a relationship, or `nil` for a reader of stored rows, which has only
  /// keys.
  open func models(at index: Int) -> ArraySlice<any PersistentModel>? { nil }

  /// Returns a value of a type that stores support.
  @inlinable
  package final func scalar<T: StoreScalar>(_ type: T.Type, at index: Int) throws -> T {
    let stored = try value(at: index)
    guard let result = T(storeValue: stored) else {
      throw invalid(stored, at: index, expected: "\(T.self)")
    }
    return result
  }

  /// Returns an error with the row, the property, its value and a remedy.
  @usableFromInline package final func invalid(
    _ value: StoreValue,
    at index: Int,
    expected: String,
    cause: (any Error)? = nil
  ) -> DataStoreError {
    let property = entity.properties.indices.contains(index) ? entity.properties[index].name : nil
    let row = scope.map { PersistentIdentifier(scope: $0, key: key) }
    let stored = value.isNull ? value.kindName : "\(value.kindName), \(value.excerpt),"
    return DataStoreError(
      .invalidValue,
      "\(row.map { "\($0)" } ?? "the store") has \(stored) where \(expected) is expected; let the "
        + "property's type read it, or convert it in a custom stage of a migration plan",
      entity: entity.name,
      property: property,
      identifiers: row.map { [$0] } ?? [],
      cause: cause
    )
  }
}
