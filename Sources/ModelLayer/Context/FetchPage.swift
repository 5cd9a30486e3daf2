import StoreProtocol

/// A part of the result of a fetch, and the tokens with which the fetch continues.
public struct FetchPage<Element> {
  /// The elements, in the order of the fetch.
  public let elements: [Element]
  /// The token for the page after this one, or `nil` if no row follows, or the page is empty.
  ///
  /// After a page that was fetched backward, the rows after may have been deleted.
  public let next: PageToken?
  /// The token for the page before this one, or `nil` if no row precedes, or the page is empty.
  ///
  /// After a page that was fetched forward with a token, the rows before may have been deleted.
  public let previous: PageToken?
}

extension FetchPage: Sendable where Element: Sendable {}
extension FetchPage: Encodable where Element: Encodable {}
extension FetchPage: Decodable where Element: Decodable {}

/// The place of a page in the result of a fetch.
struct PagePosition {
  /// The row beside the page, or `nil` for the first page.
  let token: PageToken?
  /// Whether the page ends before the row.
  let isBackward: Bool

  /// Returns the query for the rows of the page and one more, in the opposite order if it is backward.
  func query(
    _ query: StoreQuery,
    _ schema: StoreSchema,
    in scope: PersistentIdentifier.Scope
  ) throws -> StoreQuery {
    guard query.offset == 0 else {
      throw DataStoreError(
        .unsupportedFeature,
        "a page begins at a token and not at an offset; remove the descriptor's fetchOffset",
        entity: query.entity
      )
    }
    var rows = try token?.rows(of: query, isBackward: isBackward, schema, scope) ?? query
    rows.limit = query.limit?.addingClamped(1)
    return rows
  }
}
