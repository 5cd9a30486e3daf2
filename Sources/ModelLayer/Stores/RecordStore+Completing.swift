import QueryEvaluation
import StoreProtocol

// The requests of contexts. A store evaluates its part of a query; the rest is evaluated over its
// records.
extension RecordStore {
  /// Reads the rows of a query in its order.
  func readRows(of query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    if let records = try completed(query) {
      try read(records: records, body)
    } else {
      try read(query, body)
    }
  }

  /// Returns the related objects of rows, or reads their rows.
  func readMembers(
    of property: StoreProperty,
    in entity: StoreEntity,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try members(
      of: property.name,
      in: entity.name,
      owners: owners,
      wantsRows: wantsRows && property.isDerivedToMany,
      body
    )
  }

  /// Returns the number of rows of a query.
  func countRows(of query: StoreQuery) throws -> Int {
    try completed(query)?.count ?? count(query)
  }

  /// Returns the identifiers of the rows of a query, in its order.
  func rowIdentifiers(of query: StoreQuery) throws -> [PersistentIdentifier] {
    try completed(query)?.map(\.persistentIdentifier) ?? identifiers(query)
  }

  /// Reads the values of a selection.
  func readValues(of selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    if let records = try completed(selection.rowQuery) {
      try evaluation.select(selection, from: records, body)
    } else {
      try select(selection, body)
    }
  }

  /// Explains how the values of a selection are computed.
  func explanation(of selection: StoreSelection) throws -> StoreExplanation {
    let rows = try explain(.query(selection.rowQuery))
    return rows.isNative ? try explain(.selection(selection)) : rows
  }

  /// Returns the records of a query of which the store leaves a part, or `nil` if it leaves none.
  private func completed(_ query: StoreQuery) throws -> [DefaultSnapshot]? {
    // Every store selects rows by identifier.
    if query.row != nil { return nil }
    let plan = try plan(.query(query), explained: false)
    if plan.isComplete { return nil }
    var asked = query.withoutOrder
    asked.filter = plan.filter
    var rest = query
    rest.filter = plan.remaining
    return try evaluation.evaluate(rest, over: fetch(asked))
  }
}
