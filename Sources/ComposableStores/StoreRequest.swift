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
