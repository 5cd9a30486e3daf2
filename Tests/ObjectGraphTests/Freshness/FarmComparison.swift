import OpenSwiftData

/// Compares objects of a context with those of a new one.
final class FarmComparison {
  private let context: ModelContext
  private let fresh: ModelContext
  private var cached: [FarmKind: [PersistentIdentifier: any PersistentModel]] = [:]

  init(_ context: ModelContext, _ fresh: ModelContext) {
    self.context = context
    self.fresh = fresh
  }

  private func stored(_ model: any PersistentModel) throws -> (any PersistentModel)? {
    let kind = FarmKind(of: model)
    if cached[kind] == nil {
      let all = try kind.all(in: fresh).map { ($0.persistentModelID, $0) }
      cached[kind] = Dictionary(uniqueKeysWithValues: all)
    }
    return cached[kind]?[model.persistentModelID]
  }

  /// How an object without unsaved changes differs from the stored one, or nil.
  func difference(of model: any PersistentModel) throws -> String? {
    guard let stored = try stored(model) else {
      // An object that another program deleted is gone once it is read.
      _ = FarmKind.values(of: model)
      return model.isDeleted || context.hasChanges
        ? nil : "\(model.persistentModelID) is not stored"
    }
    for (shown, expected) in zip(FarmKind.values(of: model), FarmKind.values(of: stored)) {
      let found = text(shown.value, expected.value)
      guard found.shown != found.expected else { continue }
      return "\(model.persistentModelID).\(shown.property) is \(found.shown), and stored as "
        + found.expected
    }
    return nil
  }

  private func text(
    _ shown: FarmValue,
    _ expected: FarmValue
  ) -> (shown: String, expected: String) {
    switch (shown, expected) {
    case (.attribute(let shown), .attribute(let expected)): return (shown, expected)
    case (.one(let shown), .one(let expected)): return (key(shown), key(expected))
    case (.many(let shown), .many(let expected)):
      // Objects with unsaved changes may have joined or left.
      if (shown + expected).contains(where: hasChanges) { return ("", "") }
      return (shown.map(key).joined(separator: " "), expected.map(key).joined(separator: " "))
    default: return ("", "another kind of value")
    }
  }

  private func key(_ model: (any PersistentModel)?) -> String {
    model.map { "\($0.persistentModelID)" } ?? "nil"
  }

  private func hasChanges(_ model: any PersistentModel) -> Bool {
    if model.modelContext === context { return model.hasChanges }
    return context.registered(model)?.hasChanges ?? false
  }
}

extension ModelContext {
  /// The object of the context with the identity of another context's object, if it is there.
  func registered<T: PersistentModel>(_ model: T) -> (any PersistentModel)? {
    registeredModel(for: model.persistentModelID) as T?
  }
}
