import StoreProtocol

// Stores around a store whose kind is known only when the program runs, as that of a URL.

extension DataStoreConfiguration {
  /// The same store, with a closure that is called after each request.
  ///
  /// ```swift
  /// let configuration = try StoreScheme.configuration(for: url).logged { print($0) }
  /// ```
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that is no ``RecordStore``.
  public func logged(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.logged(clock: clock, log)
    }
    return try wrapping { wrapped($0) }
  }

  /// The same store, with its requests counted.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that is no ``RecordStore``.
  public func counted(
    by counter: StoreCounter = StoreCounter()
  ) throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.counted(by: counter)
    }
    return try wrapping { wrapped($0) }
  }

  /// The same store, with its results cached until a save.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that is no ``RecordStore``.
  public func cached(maximumRows: Int = 10_000) throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.cached(maximumRows: maximumRows)
    }
    return try wrapping { wrapped($0) }
  }

  /// The same store, only read.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that is no ``RecordStore``.
  public func readOnly() throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.readOnly()
    }
    return try wrapping { wrapped($0) }
  }

  /// The same store, in which requests fail as planned.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` for a store that is no ``RecordStore``.
  public func faulty(_ plan: FaultPlan) throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.faulty(plan)
    }
    return try wrapping { wrapped($0) }
  }

  /// Calls a function with the kind of store, if that is one of records.
  private func wrapping(
    _ wrap: (any RecordStore.Type) -> (any DataStoreConfiguration)?
  ) throws -> any DataStoreConfiguration {
    if let store = Store.self as? any RecordStore.Type, let configuration = wrap(store) {
      return configuration
    }
    throw DataStoreError(
      .unsupportedFeature,
      "the store \(name) is a \(Store.self), which is no RecordStore; only those can be wrapped"
    )
  }
}
