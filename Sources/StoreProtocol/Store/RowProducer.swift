/// The values of some rows of one entity, which a store reads while it writes: objects of a context,
/// or records.
///
/// The objects belong to a context that waits for the store. A store may read the values on any
/// thread and several times, but only before ``RecordStore/apply(_:)`` returns. No code of the program
/// runs for it: values that need any are encoded before.
public protocol RowProducer: Sendable {
  /// Writes the values of a row to a writer, in any order; a value that it does not write is null.
  func write(_ position: Int, to writer: RowWriter)
}

/// New rows of one entity, or rows of one entity of which the same properties change.
public struct RowRun: Sendable {
  /// The identifiers of the rows: temporary ones of new rows, otherwise those of the stored rows.
  public let identifiers: RowIdentifiers
  /// The indices of the properties that change, or an empty list for new rows, which have all.
  public let properties: [Int]
  /// Whether ``StoreChangesResult/remapped`` must have the identifier of each new row.
  ///
  /// Objects find theirs by ``StoreChangesResult/firstKeys``.
  public let needsNames: Bool
  let producer: any RowProducer
  let entity: StoreEntity?
  let storeIdentifier: String?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - identifiers: The identifiers of the rows.
  ///   - properties: The indices of the properties that change; none for new rows.
  ///   - entity: The entity of the rows.
  ///   - storeIdentifier: The identifier of the store, for references to its rows.
  ///   - producer: The producer of the values.
  package init(
    _ identifiers: RowIdentifiers,
    changing properties: [Int] = [],
    of entity: StoreEntity,
    in storeIdentifier: String?,
    from producer: any RowProducer
  ) {
    self.identifiers = identifiers
    self.properties = properties
    self.producer = producer
    self.entity = entity
    self.storeIdentifier = storeIdentifier
    needsNames = false
  }

  /// The name of the rows' entity; changed rows may be of a subentity.
  public var entityName: String { identifiers.scope.entityName }

  /// The number of rows.
  public var count: Int { identifiers.count }

  /// Returns the producer of the values, by the indices of the entity's properties.
  public func values(for entity: StoreEntity) -> any RowProducer {
    // Records may have their values in another order.
    if needsNames, let records = producer as? RecordRows { return records.aligned(to: entity) }
    return producer
  }
}

/// The identifiers of the rows of a run, all of one entity.
public struct RowIdentifiers: RandomAccessCollection, Sendable {
  /// The scope of the identifiers.
  package let scope: PersistentIdentifier.Scope
  /// The numbers of temporary identifiers, or the integer keys of stored rows; the smallest integer
  /// for another key.
  package let numbers: [Int64]
  private let areTemporary: Bool
  private let others: [Int: PersistentIdentifier]

  /// Creates the identifiers of new rows, from the numbers of temporary ones, or those of stored rows
  /// from their keys.
  ///
  /// - Parameters:
  ///   - numbers: The numbers.
  ///   - areTemporary: Whether the rows are new.
  ///   - scope: The scope of the identifiers.
  ///   - others: The identifiers with another key, by their position.
  package init(
    _ numbers: [Int64],
    areTemporary: Bool,
    in scope: PersistentIdentifier.Scope,
    others: [Int: PersistentIdentifier] = [:]
  ) {
    self.numbers = numbers
    self.areTemporary = areTemporary
    self.scope = scope
    self.others = others
  }

  /// Creates a list of identifiers of one scope, which is not empty.
  init(_ identifiers: [PersistentIdentifier]) {
    let areTemporary = identifiers.first?.isTemporary ?? true
    var others: [Int: PersistentIdentifier] = [:]
    numbers = identifiers.enumerated().map { position, identifier in
      switch identifier.key {
      case .temporary(let number) where areTemporary && number != .min: return number
      case .integer(let key) where !areTemporary && key != .min: return key
      default:
        others[position] = identifier
        return .min
      }
    }
    self.areTemporary = areTemporary
    self.others = others
    scope = identifiers.first?.scope ?? .init(storeIdentifier: nil, entityName: "")
  }

  /// The keys of stored rows, or `nil` if one of them is not an integer.
  package var keys: [Int64]? { areTemporary || !others.isEmpty ? nil : numbers }

  /// Returns the number of a temporary identifier, or `nil` for another one.
  public func temporaryNumber(at position: Int) -> Int64? {
    areTemporary && numbers[position] != .min ? numbers[position] : nil
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { numbers.count }

  public subscript(position: Int) -> PersistentIdentifier {
    let number = numbers[position]
    if number == .min, let other = others[position] { return other }
    return PersistentIdentifier(
      scope: scope,
      key: areTemporary ? .temporary(number) : .integer(number)
    )
  }
}
