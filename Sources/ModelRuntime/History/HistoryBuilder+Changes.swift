import StoreProtocol

extension HistoryBuilder {
  /// Returns the typed changes of a transaction.
  package static func changes(of plain: StoreTransaction, schema: Schema) -> [HistoryChange] {
    var keyPaths = KeyPathCache()
    var changes: [HistoryChange] = []
    for (index, change) in plain.changes.enumerated() {
      guard let type = schema.modelTypes[change.identifier.entityName] else { continue }
      let number = number(ofChange: index, in: plain.number)
      changes.append(typed(change, of: type, number, plain.number, &keyPaths))
    }
    return changes
  }

  private static func typed<M: PersistentModel>(
    _ change: StoreChange,
    of type: M.Type,
    _ number: Int64,
    _ save: Int64,
    _ keyPaths: inout KeyPathCache
  ) -> HistoryChange {
    switch change.kind {
    case .insert:
      return .insert(
        DefaultHistoryInsert<M>(
          changeIdentifier: number,
          transactionIdentifier: save,
          changedPersistentIdentifier: change.identifier
        )
      )
    case .update:
      return .update(
        DefaultHistoryUpdate<M>(
          changeIdentifier: number,
          transactionIdentifier: save,
          changedPersistentIdentifier: change.identifier,
          updatedAttributes: keyPaths.keyPaths(of: type, named: change.properties),
          cause: change.cause,
          clearedAttributes: change.clearedProperties.isEmpty
            ? [] : keyPaths.keyPaths(of: type, named: change.clearedProperties)
        )
      )
    case .delete:
      return .delete(
        DefaultHistoryDelete<M>(
          changeIdentifier: number,
          transactionIdentifier: save,
          changedPersistentIdentifier: change.identifier,
          tombstone: HistoryTombstone<M>(preserved: change.before),
          cause: change.cause
        )
      )
    }
  }
}

/// A cache of the key paths of the last update, since the next update mostly changes the same
/// properties.
private struct KeyPathCache {
  private var names: [String] = []
  private var type: (any PersistentModel.Type)?
  private var found: [AnyKeyPath] = []

  mutating func keyPaths<M: PersistentModel>(
    of type: M.Type,
    named names: [String]
  ) -> [any PartialKeyPath<M> & Sendable] {
    if self.type != type || self.names != names {
      let layout = ModelLayout.of(type)
      found = names.compactMap { layout.keyPath(named: $0, in: type) }
      (self.type, self.names) = (type, names)
    }
    return found.compactMap { ($0 as? PartialKeyPath<M>)?.sendable }
  }
}

extension HistoryTombstone {
  /// Creates a tombstone from the preserved values of a row, in the order of its properties.
  ///
  /// Values that are invalid for the current types of their properties are left out.
  package init(preserved stored: [String: StoreValue]) {
    guard !stored.isEmpty else {
      self.init([])
      return
    }
    let layout = ModelLayout.of(Model.self)
    var values: [(keyPath: PartialKeyPath<Model>, value: any Sendable)] = []
    for property in layout.properties where Self.isPreserved(property) {
      guard let value = stored[property.name], !value.isNull,
        let path = layout.keyPath(named: property.name, in: Model.self) as? PartialKeyPath<Model>,
        let typed = property.typed(value)
      else { continue }
      values.append((path, typed))
    }
    self.init(values)
  }

  private static func isPreserved(_ property: ModelLayout.Property) -> Bool {
    let attribute = property.metadata.metadata as? Schema.Attribute
    return attribute?.options.contains(.preserveValueOnDeletion) ?? false
  }
}

extension ModelLayout.Property {
  /// Returns the value of the property's type for a stored form.
  fileprivate func typed(_ value: StoreValue) -> (any Sendable)? {
    let type = (valueType as? any OptionalType.Type)?.wrapped ?? valueType
    if let decodable = CodableTypes.decodable(type) { return Self.decoded(decodable, value) }
    return (type as? any StoreScalar.Type)?.init(storeValue: value)
  }

  private static func decoded<V: Decodable>(
    _ type: V.Type,
    _ value: StoreValue
  ) -> (any Sendable)? {
    guard let made = try? PropertyForm.value(type, of: value) else { return nil }
    return sent(made)
  }

  /// Returns the value as `Sendable`, which its type need not declare.
  ///
  /// The value was just created from plain data, so no other code has a reference to any part of
  /// it. Both existentials have the same representation: `Sendable` has no witness table.
  private static func sent<V>(_ value: V) -> any Sendable {
    unsafeBitCast(value as Any, to: (any Sendable).self)
  }
}
