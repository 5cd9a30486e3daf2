import StoreProtocol

// Wrappers of a store whose kind is known only at run time, such as that of a URL.

extension DataStoreConfiguration {
  /// Returns a configuration of the store whose requests all go through an interceptor.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store is not a ``RecordStore``.
  public func intercepted(
    by interceptor: some RequestInterceptor
  ) throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.intercepted(by: interceptor)
    }
    return try wrapping { wrapped($0) }
  }

  /// Returns a configuration of the store with a closure that is called after each request.
  ///
  /// ```swift
  /// let configuration = try StoreScheme.configuration(for: url).logged { print($0) }
  /// ```
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store is not a ``RecordStore``.
  public func logged(
    clock: some Clock<Duration> = ContinuousClock(),
    _ log: @escaping @Sendable (LoggedRequest) -> Void
  ) throws -> any DataStoreConfiguration {
    try intercepted(by: RequestLog(clock: clock, log))
  }

  /// Returns a configuration of the store that counts its requests.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store is not a ``RecordStore``.
  public func counted(
    by counter: StoreCounter = StoreCounter()
  ) throws -> any DataStoreConfiguration {
    try intercepted(by: counter)
  }

  /// Returns a configuration of the store that only reads it.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store is not a ``RecordStore``.
  public func readOnly() throws -> any DataStoreConfiguration {
    func wrapped<Wrapped: RecordStore>(_ store: Wrapped.Type) -> (any DataStoreConfiguration)? {
      (self as? Wrapped.Configuration)?.readOnly()
    }
    return try wrapping { wrapped($0) }
  }

  /// Returns a configuration of the store in which requests fail as planned.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the store is not a ``RecordStore``.
  public func faulty(_ plan: FaultPlan) throws -> any DataStoreConfiguration {
    try intercepted(by: plan)
  }

  /// Calls a function with the kind of store, if that is a ``RecordStore``.
  private func wrapping(
    _ wrap: (any RecordStore.Type) -> (any DataStoreConfiguration)?
  ) throws -> any DataStoreConfiguration {
    if let store = Store.self as? any RecordStore.Type, let configuration = wrap(store) {
      return configuration
    }
    throw DataStoreError(
      .unsupportedFeature,
      "the store \(name) is a \(Store.self), which is not a RecordStore and cannot be wrapped"
    )
  }
}
