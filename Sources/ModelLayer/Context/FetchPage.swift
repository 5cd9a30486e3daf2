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

/// The fetch of one page of a result, made by ``FetchDescriptor/page(after:)``.
public struct PageDescriptor<T: PersistentModel>: Sendable {
  /// The fetch whose result has the page.
  let descriptor: FetchDescriptor<T>
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

extension FetchDescriptor {
  /// Returns the fetch of the first page of the result, or of the page after a token.
  ///
  /// ```swift
  /// var page = try context.fetch(descriptor.page())
  /// while let next = page.next { page = try context.fetch(descriptor.page(after: next)) }
  /// ```
  ///
  /// A token is a position in the order, not a number of rows. Rows that others insert or delete
  /// between two pages therefore move no other row: each appears once. The order of rows with equal
  /// sort values is that of their keys.
  ///
  /// The descriptor's limit is the size of a page; it has no offset.
  ///
  /// - Parameter token: The token of an earlier page of the same fetch, also from before the program
  ///   restarted.
  /// - Returns: The fetch, for ``ModelContext/fetch(_:)-(PageDescriptor<T>)`` and
  ///   ``ModelContext/fetchSnapshots(_:including:)``.
  public func page(after token: PageToken? = nil) -> PageDescriptor<T> {
    PageDescriptor(descriptor: self, token: token, isBackward: false)
  }

  /// Returns the fetch of the page before a token, in the order of the descriptor.
  ///
  /// - Parameter token: The token of an earlier page of the same fetch.
  /// - Returns: The fetch, as of ``page(after:)``.
  public func page(before token: PageToken) -> PageDescriptor<T> {
    PageDescriptor(descriptor: self, token: token, isBackward: true)
  }
}
