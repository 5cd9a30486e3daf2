import ComposableStores
import OpenSwiftData

extension ModelContainer {
  /// Counts the requests to the stores of the container while a body runs.
  ///
  /// ```swift
  /// let count = try container.count { try report(container) }
  /// #expect(count.requests <= 2 && count.rows <= 100, "\(count)")
  /// ```
  ///
  /// - Returns: The number of requests, and of rows in their results.
  /// - Throws: Errors of the body, and `DataStoreError.invalidConfiguration` if no store of the
  ///   container counts; those of `ephemeral(for:store:faults:environment:)` do.
  @discardableResult
  public func count<Result>(_ body: () throws -> Result) throws -> StoreCount {
    try counter().count(body)
  }

  /// Counts the requests to the stores of the container while an asynchronous body runs.
  @discardableResult
  public func count<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> StoreCount {
    try await counter().count(isolation: isolation, body)
  }

  private func counter() throws -> StoreCounter {
    let counting = stores.compactMap { $0 as? any RequestCounting }
    guard let first = counting.first, counting.allSatisfy({ $0.counter === first.counter }) else {
      throw DataStoreError(
        .invalidConfiguration,
        counting.isEmpty
          ? "no store of the container counts requests; create it with ModelContainer.ephemeral, "
            + "or use .counted() on its configuration"
          : "the stores of the container have different counters; give all of them the same counter"
      )
    }
    return first.counter
  }
}
