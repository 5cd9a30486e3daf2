import Foundation
import ModelRuntime
import StoreProtocol

/// A row with placeholders for attributes that its store left out, until they are loaded, and with
/// the initial values of ephemeral attributes.
final class PartialReader: RowReader {
  /// The row from the store.
  var base: RowReader { didSet { take(base) } }
  /// The attributes that were left out.
  var missing: [Int] = []
  private let placeholders: PlaceholderReader

  init(_ base: RowReader, layout: ModelLayout) {
    self.base = base
    placeholders = PlaceholderReader(layout: layout, entity: base.entity)
    super.init(entity: base.entity)
    take(base)
  }

  /// Adopts the identity of a row, which errors name.
  private func take(_ row: RowReader) {
    scope = row.scope
    key = row.key
  }

  private func source(_ index: Int) -> RowReader {
    missing.contains(index) || index >= base.entity.properties.count ? placeholders : base
  }

  override var version: Int64 { base.version }
  override func isDeferred(at index: Int) -> Bool { missing.contains(index) }
  override func value(at index: Int) throws -> StoreValue { try source(index).value(at: index) }
  override func isNull(at index: Int) throws -> Bool { try source(index).isNull(at: index) }
  override func integer(at index: Int) throws -> Int64 { try source(index).integer(at: index) }
  override func double(at index: Int) throws -> Double { try source(index).double(at: index) }
  override func bool(at index: Int) throws -> Bool { try source(index).bool(at: index) }
  override func string(at index: Int) throws -> String { try source(index).string(at: index) }
  override func date(at index: Int) throws -> Date { try source(index).date(at: index) }

  override func reference(at index: Int) throws -> PersistentIdentifier.Key? {
    try base.reference(at: index)
  }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? {
    base.models(at: index)
  }
}

extension EntityRegistration {
  /// Calls a body with a row, without the attributes whose values their types refuse.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - missing: The attributes that the row lacks.
  ///   - body: Called with the row and the attributes to leave out, again after each refused value.
  /// - Returns: The result of the body, and the attributes that were refused.
  /// - Throws: Errors of the body that do not name a value of an attribute.
  func withReadableValues<Result>(
    of row: RowReader,
    lacking missing: [Int],
    _ body: (RowReader, [Int]) throws -> Result
  ) throws -> (result: Result, unreadable: [Int]) {
    var unreadable: [Int] = []
    var reader = row
    while true {
      do {
        return (try body(reader, missing + unreadable), unreadable)
      } catch let error as DataStoreError where error == .invalidValue {
        guard let index = error.property.flatMap({ entity.indexByName[$0] }),
          !isRelationship[index], !missing.contains(index), !unreadable.contains(index)
        else { throw error }
        unreadable.append(index)
        let partial = PartialReader(row, layout: layout)
        partial.missing = missing + unreadable
        reader = partial
      }
    }
  }
}

/// Finds the attributes that the rows of one entity lack in a query.
struct Deferral {
  /// The attributes that a row may lack.
  private let candidates: [Int]
  private let layout: ModelLayout
  private let hasEphemerals: Bool
  private var reader: PartialReader?

  /// Creates a search in the rows of a query of the named properties, or of all for `nil`.
  ///
  /// Returns `nil` if no row of the entity can lack anything, as mostly.
  init?(_ wanted: Set<String>?, of registration: EntityRegistration) {
    let entity = registration.entity
    layout = registration.layout
    hasEphemerals = layout.storedCount < layout.properties.count
    if let wanted {
      candidates = entity.properties.indices.filter {
        !registration.isRelationship[$0] && !wanted.contains(entity.properties[$0].name)
      }
    } else {
      candidates = registration.facts.externals
    }
    if candidates.isEmpty, !hasEphemerals { return nil }
  }

  /// Returns the reader of a row, and the attributes that the row lacks.
  mutating func look(at row: RowReader) -> (reader: RowReader, missing: [Int]) {
    let missing = candidates.filter(row.isDeferred(at:))
    if missing.isEmpty, !hasEphemerals { return (row, []) }
    let partial = reader ?? PartialReader(row, layout: layout)
    reader = partial
    partial.base = row
    // The lists of most rows are equal, and equal ones share their memory.
    if partial.missing != missing { partial.missing = missing }
    return (partial, partial.missing)
  }
}
