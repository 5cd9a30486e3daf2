import Foundation
import StoreProtocol

/// A request to a store, as a plain value.
public enum StoreRequest: Sendable {
  /// Records.
  case fetch(StoreQuery)
  /// Rows, one by one.
  case read(StoreQuery)
  /// Identifiers.
  case identifiers(StoreQuery)
  /// A count.
  case count(StoreQuery)
  /// Values, or groups.
  case select(StoreSelection)
  /// The elements of a relationship of some rows.
  case members(property: String, entity: String, owners: [PersistentIdentifier])
  /// A save.
  case save(StoreChanges)
  /// The outcome of a save.
  case outcome(UUID)
  /// The removal of all data.
  case erase
  /// Transactions of the history.
  case history(StoreHistoryQuery)

  /// The kind of a request.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Records.
    case fetch
    /// Rows, one by one, as contexts read them.
    case read
    /// Identifiers.
    case identifiers
    /// A count.
    case count
    /// Values, or groups.
    case select
    /// The elements of a relationship.
    case members
    /// A save.
    case save
    /// The outcome of a save.
    case outcome
    /// The removal of all data.
    case erase
    /// Transactions of the history.
    case history
  }

  /// The kind of this request.
  public var kind: Kind {
    switch self {
    case .fetch: .fetch
    case .read: .read
    case .identifiers: .identifiers
    case .count: .count
    case .select: .select
    case .members: .members
    case .save: .save
    case .outcome: .outcome
    case .erase: .erase
    case .history: .history
    }
  }

  /// Creates the request that a read of a query is.
  package init(reading query: StoreQuery) {
    self =
      switch query.content {
      case .values: .read(query)
      case .records: .fetch(query)
      case .identifiers: .identifiers(query)
      }
  }

  /// The query of a request for rows, or for values computed from them.
  public var query: StoreQuery? {
    switch self {
    case .fetch(let query), .read(let query), .identifiers(let query), .count(let query): query
    case .select(let selection): selection.query
    case .members, .save, .outcome, .erase, .history: nil
    }
  }
}

extension StoreRequest {
  /// The entity of the rows, or of the owners of related objects, or `nil` if there is none or several.
  public var entity: String? {
    if case .members(_, let entity, _) = self { return entity }
    return query?.entity
  }
}

extension StoreRequest: CustomStringConvertible {
  /// A description without any value of a row: `read Trip where $0.name == … limit 20`.
  public var description: String {
    let words: [String] =
      switch self {
      case .fetch, .read, .identifiers, .count: query?.words ?? []
      case .select(let selection):
        selection.query.words + (selection.groups == nil ? [] : ["grouped"])
      case .members(let property, let entity, let owners):
        ["\(entity).\(property)", "of \(owners.count)"]
      case .save(let changes): changes.words
      case .outcome, .erase, .history: []
      }
    return ([kind.rawValue] + words).joined(separator: " ")
  }
}

extension StoreQuery {
  fileprivate var words: [String] {
    var words = [entity]
    if let identifiers {
      words.append("by \(identifiers.count) identifiers")
    } else if let filter {
      words.append("where \(filter.descriptionWithoutValues)")
    }
    if !sort.isEmpty {
      let order = sort.map {
        $0.value.descriptionWithoutValues + ($0.isReversed ? " reversed" : "")
      }
      words.append("sorted by \(order.joined(separator: ", "))")
    }
    if offset > 0 { words.append("offset \(offset)") }
    if let limit { words.append("limit \(limit)") }
    return words
  }
}

extension StoreChanges {
  fileprivate var words: [String] {
    var words: [String] = []
    if !bulkChanges.isEmpty { words.append("bulk \(bulkChanges.count)") }
    let inserted = insertions.reduce(0) { $0 + $1.count }
    let updated = updates.reduce(0) { $0 + $1.count }
    if inserted > 0 { words.append("inserted \(inserted)") }
    if updated > 0 { words.append("updated \(updated)") }
    if !deleted.isEmpty { words.append("deleted \(deleted.count)") }
    return words
  }
}
