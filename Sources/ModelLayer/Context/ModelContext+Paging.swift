import QueryEvaluation
import StoreProtocol

extension ModelContext {
  /// Fetches the first page of a result, or the page after a token.
  ///
  /// ```swift
  /// var page = try context.fetchPage(descriptor)
  /// while let next = page.next { page = try context.fetchPage(descriptor, after: next) }
  /// ```
  ///
  /// A token is a position in the order, not a number of rows. Rows that others insert or delete
  /// between two pages therefore move no other row: each appears once. The order of rows with equal
  /// sort values is that of their keys.
  ///
  /// - Parameters:
  ///   - descriptor: The fetch. Its limit is the size of a page; it has no offset.
  ///   - token: The token of an earlier page of the same fetch, also from before the program
  ///     restarted.
  /// - Returns: The page.
  /// - Throws: Errors of ``fetch(_:)``; ``DataStoreError/invalidValue`` for a token of another store,
  ///   model or order, or with values that no row has; `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and
  ///   the descriptor includes them.
  /// - Complexity: The rows of the page and one more are read. A store finds them by an index of the
  ///   first sort term.
  public func fetchPage<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    after token: PageToken? = nil
  ) throws -> FetchPage<T> {
    try objects(descriptor, at: PagePosition(token: token, isBackward: false))
  }

  /// Fetches the page before a token, in the order of the descriptor.
  ///
  /// - Throws: The errors of ``fetchPage(_:after:)``.
  public func fetchPage<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    before token: PageToken
  ) throws -> FetchPage<T> {
    try objects(descriptor, at: PagePosition(token: token, isBackward: true))
  }

  private func objects<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    at position: PagePosition
  ) throws -> FetchPage<T> {
    try refusePendingChanges(descriptor)
    return try state.page(descriptor, at: position, { $0.persistentModelID }) { plan in
      let models = try plan.programModels()
      if !plan.query.prefetch.isEmpty {
        try state.loader.prefetch(plan.query.prefetch, for: models, in: plan.registration)
      }
      return models
    }
  }
}

extension ContextState {
  /// Reads a page of a fetch, and the tokens at its ends, in one state of the store.
  func page<T: PersistentModel, Element>(
    _ descriptor: FetchDescriptor<T>,
    at position: PagePosition,
    _ identifier: (Element) -> PersistentIdentifier?,
    _ read: (FetchPlan<T>) throws -> [Element]
  ) throws -> FetchPage<Element> {
    existingAutosave?.catchUp(self)
    let plan = try FetchPlan(descriptor, at: position, in: self)
    var page = FetchPage<Element>(elements: [], next: nil, previous: nil)
    try plan.registration.store.readingOneState {
      var elements = try read(plan)
      let continues = elements.count > max(descriptor.fetchLimit ?? .max, 0)
      if continues { elements.removeLast() }
      if position.isBackward { elements.reverse() }
      guard let first = elements.first, let last = elements.last else { return }
      let hasNext = position.isBackward || continues
      let hasPrevious = position.isBackward ? continues : position.token != nil
      page = FetchPage(
        elements: elements,
        next: hasNext ? try token(of: identifier(last), in: plan) : nil,
        previous: hasPrevious ? try token(of: identifier(first), in: plan) : nil
      )
    }
    return page
  }

  /// Returns the token of a row, whose sort values are read.
  private func token<T: PersistentModel>(
    of row: PersistentIdentifier?,
    in plan: FetchPlan<T>
  ) throws -> PageToken {
    let query = plan.unpagedQuery
    let terms = query.decidingTerms
    var values: [StoreValue]? = terms.isEmpty ? [] : nil
    if let row, !terms.isEmpty {
      let selection = StoreSelection(
        .rows([row], of: query.entity),
        columns: terms.map { .value($0.value) }
      )
      try feed.noticing {
        try plan.registration.store.readValues(of: selection) { values = $0 }
      }
    }
    guard let row, let values else {
      throw DataStoreError(
        .conflict,
        "another program deleted a row while its page was read; fetch the page again",
        entity: query.entity,
        identifiers: row.map { [$0] } ?? []
      )
    }
    return try PageToken(row, values, of: query, in: plan.registration.store.identifier)
  }
}
