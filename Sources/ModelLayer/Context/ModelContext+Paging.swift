import QueryEvaluation
import StoreProtocol

extension ModelContext {
  /// Fetches one page of a result.
  ///
  /// - Parameter page: The page, of ``FetchDescriptor/page(after:)``.
  /// - Returns: The objects of the page, and the tokens of its neighbors.
  /// - Throws: Errors of ``fetch(_:)-(FetchDescriptor<T>)``; ``DataStoreError/invalidValue`` for a
  ///   token of another store, model or order, or with values that no row has;
  ///   `SwiftDataError.includePendingChangesWithBatchSize` if changes are pending and the descriptor
  ///   includes them.
  /// - Complexity: The rows of the page and one more are read. A store finds them by an index of the
  ///   first sort term.
  public func fetch<T: PersistentModel>(_ page: PageDescriptor<T>) throws -> FetchPage<T> {
    try refusePendingChanges(page.descriptor)
    return try state.page(page, { $0.persistentModelID }) { plan in
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
    _ wanted: PageDescriptor<T>,
    _ identifier: (Element) -> PersistentIdentifier?,
    _ read: (FetchPlan<T>) throws -> [Element]
  ) throws -> FetchPage<Element> {
    existingAutosave?.catchUp(self)
    let plan = try FetchPlan(wanted.descriptor, at: wanted, in: self)
    var page = FetchPage<Element>(elements: [], next: nil, previous: nil)
    try plan.registration.store.readingOneState {
      var elements = try read(plan)
      let continues = elements.count > max(wanted.descriptor.fetchLimit ?? .max, 0)
      if continues { elements.removeLast() }
      if wanted.isBackward { elements.reverse() }
      guard let first = elements.first, let last = elements.last else { return }
      let hasNext = wanted.isBackward || continues
      let hasPrevious = wanted.isBackward ? continues : wanted.token != nil
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
