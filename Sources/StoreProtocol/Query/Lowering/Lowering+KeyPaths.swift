import Foundation

extension PredicateExpressions.KeyPath: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let base = try lowering.lower(root)
    guard let result = KeyPathLowering(schema: lowering.schema).lower(keyPath, from: base) else {
      let name = String(describing: Root.Output.self)
      throw SwiftDataError.unsupportedPredicate.with(
        "KeyPath is not supported here: a key path from \(name) to \(Output.self) is neither a "
          + "persisted property nor a member of one",
        entity: Root.Output.self is any PersistentModel.Type ? name : nil
      )
    }
    return result
  }
}

/// Finds out what a key path names: key paths themselves have no names.
struct KeyPathLowering {
  let schema: Schema

  /// The expression for a key path applied to a base, nil where stores do not know it.
  func lower(_ keyPath: AnyKeyPath, from base: QueryExpression) -> QueryExpression? {
    let root = type(of: keyPath).rootType
    if let model = root as? any PersistentModel.Type {
      return lower(keyPath, of: model, from: base)
    }
    if let collection = root as? any StoredCollection.Type {
      return collection.aggregate(of: keyPath).map { .aggregate($0, base) }
    }
    if let raw = root as? any RawRepresentable.Type, RawValuePath.isOne(keyPath, of: raw) {
      return base
    }
    return ProbedPaths.path(of: keyPath, schema: schema).map { base.following($0) }
  }

  private func lower(
    _ keyPath: AnyKeyPath,
    of model: any PersistentModel.Type,
    from base: QueryExpression
  ) -> QueryExpression? {
    let layout = ModelLayout.of(model)
    if let name = layout.propertyName(of: keyPath) { return .property(base, name) }
    if Self.identifies(keyPath, model) { return base }
    if let collection = aggregate(keyPath, layout, base) { return collection }
    guard keyPath.hasSeveralComponents else { return nil }
    return ProbedPaths.path(of: keyPath, schema: schema).map { base.following($0) }
  }

  /// The number of elements, or another aggregate, of a property in one key path.
  private func aggregate(
    _ keyPath: AnyKeyPath,
    _ layout: ModelLayout,
    _ base: QueryExpression
  ) -> QueryExpression? {
    for property in layout.properties {
      guard let type = type(of: property.keyPath).valueType as? any StoredCollection.Type else {
        continue
      }
      for (path, aggregate) in type.aggregates
      where property.keyPath.appending(path: path) == keyPath {
        return .aggregate(aggregate, .property(base, property.name))
      }
    }
    return nil
  }

  private static func identifies<M: PersistentModel>(_ keyPath: AnyKeyPath, _ model: M.Type) -> Bool
  {
    // The type picks the `id` that all models share and not one that a model declares.
    let id: KeyPath<M, PersistentIdentifier> = \M.id
    return keyPath == \M.persistentModelID || keyPath == id
  }
}

extension QueryExpression {
  /// The member at the end of a path of names.
  fileprivate func following(_ names: [String]) -> QueryExpression {
    names.reduce(self) { .property($0, $1) }
  }
}

extension AnyKeyPath {
  /// Whether the path leads through a property to a property of that.
  var hasSeveralComponents: Bool {
    var depth = 0
    var dots = 0
    for character in debugDescription {
      switch character {
      case "<", "(": depth += 1
      case ">", ")": depth -= 1
      case "." where depth == 0: dots += 1
      default: break
      }
    }
    return dots > 1 || debugDescription.contains("?")
  }
}
