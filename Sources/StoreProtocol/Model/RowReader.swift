import Foundation

/// One stored row, read value by value in the order of its entity's properties.
///
/// A store that wants speed gives a subclass which reads straight from its own representation;
/// all but ``value(at:)`` have a default that goes through it. One reader serves many rows: a
/// store moves it along.
open class RowReader {
  /// The entity of the current row.
  public final var entity: StoreEntity
  /// The row numbers of to-one relationships whose keys are not numbers, by property.
  public final var textReferences: [(index: Int, identifier: PersistentIdentifier)] {
    get { own.textReferences }
    set { own.textReferences = newValue }
  }
  /// The keys of the rows that come next, the current one first, where a store jumps from row to row and
  /// knows them; the reader's user empties the list.
  public final var upcoming: [Int64] {
    get { own.upcoming }
    set { own.upcoming = newValue }
    _modify { yield &own.upcoming }
  }
  /// What the identifiers of rows like the current one have in common.
  ///
  /// A store sets it whenever it comes to rows of another entity, and shares one for all of a kind.
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
  public final var identifier: PersistentIdentifier {
    get {
      let scope = own.scope ?? .init(storeIdentifier: nil, entityName: entity.name)
      return PersistentIdentifier(scope: scope, key: key)
    }
    set {
      if own.scope !== newValue.scope { own.scope = newValue.scope }
      key = newValue.key
    }
  }
  /// The number that the current row has for a key, or `nil` if its key is none.
  package final var number: Int64? { own.otherKey == nil ? own.number : nil }

  private struct Own {
    var number: Int64 = 0
    var otherKey: PersistentIdentifier.Key?
    var textReferences: [(index: Int, identifier: PersistentIdentifier)] = []
    var upcoming: [Int64] = []
    var scope: PersistentIdentifier.Scope?
  }

  // Asked about for each row, and no access lasts. The attribute holds in this module alone, so that
  // others look through properties that are computed.
  @exclusivity(unchecked) private final var own = Own()

  /// Creates a reader for rows of an entity.
  public init(entity: StoreEntity) {
    self.entity = entity
  }

  /// Whether the identifiers of rows like the current one have this in common, and something.
  package final func isIn(_ other: PersistentIdentifier.Scope?) -> Bool {
    own.scope === other && other != nil
  }

  /// Whether ``upcoming`` or ``textReferences`` has anything.
  package final var hasNotes: Bool { !own.upcoming.isEmpty || !own.textReferences.isEmpty }

  /// The version of the current row; 0 where the store keeps none.
  ///
  /// It is the number of the save that last changed the row, as ``StoreChangesResult/version`` gave
  /// it: two reads with the same version saw the same values, but for references to rows that were
  /// deleted in between and read as nil.
  open var version: Int64 { 0 }

  /// Whether the store left the value of an attribute out of the current row.
  ///
  /// Such a value is not read now; a context asks for it by name when the program touches it. Only
  /// a store that was not asked for the property (``StoreQuery/properties``), or that keeps the
  /// value outside of the row, may leave it out.
  open func isDeferred(at index: Int) -> Bool { false }

  /// The value of a property, ``StoreValue/null`` where there is none.
  open func value(at index: Int) throws -> StoreValue { .null }

  /// Whether a property has no value.
  open func isNull(at index: Int) throws -> Bool { try value(at: index).isNull }

  /// A whole number.
  open func integer(at index: Int) throws -> Int64 { try scalar(Int64.self, at: index) }

  /// A floating-point number.
  open func double(at index: Int) throws -> Double { try scalar(Double.self, at: index) }

  /// A truth value.
  open func bool(at index: Int) throws -> Bool { try scalar(Bool.self, at: index) }

  /// A text.
  open func string(at index: Int) throws -> String { try scalar(String.self, at: index) }

  /// A point in time.
  open func date(at index: Int) throws -> Date { try scalar(Date.self, at: index) }

  /// The key of the object at the other end of a to-one relationship, nil where there is none.
  open func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    switch try value(at: index) {
    case .identifier(let identifier): identifier.key
    case .null: nil
    default: throw invalid(try value(at: index), at: index, expected: "an identifier")
    }
  }

  /// The objects of a relationship, nil for a reader of stored rows, which has only keys.
  open func models(at index: Int) -> ArraySlice<any PersistentModel>? { nil }

  /// Reads a value of a type that stores know.
  @inlinable
  public final func scalar<T: StoreScalar>(_ type: T.Type, at index: Int) throws -> T {
    let stored = try value(at: index)
    guard let result = T(storeValue: stored) else {
      throw invalid(stored, at: index, expected: "\(T.self)")
    }
    return result
  }

  /// An error that names the property and what stands there.
  public final func invalid(
    _ value: StoreValue,
    at index: Int,
    expected: String,
    cause: (any Error)? = nil
  ) -> DataStoreError {
    let property = entity.properties.indices.contains(index) ? entity.properties[index].name : nil
    return DataStoreError(
      .invalidValue,
      "the store has \(value.kindName) where \(expected) belongs",
      entity: entity.name,
      property: property,
      cause: cause
    )
  }
}
