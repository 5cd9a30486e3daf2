import Foundation
import StoreProtocol
import Synchronization

/// The names in a key path, which key paths themselves do not expose.
struct KeyPathSteps: Sendable {
  /// The names of properties and members, in the order of the path.
  var names: [String] = []
  /// The aggregate of the value at the end, or `nil` if there is none.
  var aggregate: QueryExpression.Aggregate?
  /// The function of the value at the end.
  var function: QueryFunction?

  func applied(to base: QueryExpression) -> QueryExpression {
    let value = names.reduce(base) { .property($0, $1) }
    if let function { return .function(function, value) }
    return aggregate.map { .aggregate($0, value) } ?? value
  }

  /// Whether stores order the values at the end as Swift does.
  var isOrdered = false

  private struct Path: Hashable, @unchecked Sendable {
    // Unchecked: key paths are immutable, but only some of them are marked Sendable.
    let keyPath: AnyKeyPath
    /// The name or the address of each getter.
    ///
    /// Swift compares the requirements of protocols by their ordinals: those of two protocols can
    /// be equal.
    let description: String

    init(_ keyPath: AnyKeyPath) {
      self.keyPath = keyPath
      // Those made for sort descriptors are subscripts, and made for each fetch.
      let isMade = type(of: keyPath).valueType == OrderedValue.self
      description = isMade ? "" : keyPath.debugDescription
    }
  }

  private struct Cache {
    var byPath: [Path: KeyPathSteps?] = [:]
    /// The steps by the key path object, which avoids hashing component by component.
    ///
    /// The object is retained, so that no other object gets its address.
    var byObject: [ObjectIdentifier: (path: Path, steps: KeyPathSteps?)] = [:]
  }

  /// The maximum number of retained objects; a literal is one, but programs can create key paths
  /// repeatedly.
  private static let mostObjects = 2_000

  private static let cache = Mutex(Cache())

  /// Returns the steps of a key path, or `nil` if stores do not support it.
  static func of(_ keyPath: AnyKeyPath) -> KeyPathSteps? {
    let object = ObjectIdentifier(keyPath)
    if let cached = cache.withLock({ $0.byObject[object] }) { return cached.steps }
    let path = Path(keyPath)
    let cached = cache.withLock { $0.byPath[path] }
    var found = cached ?? find(keyPath)
    if cached == nil { found?.isOrdered = StoredOrder.holds(for: type(of: keyPath).valueType) }
    cache.withLock { [found] cache in
      cache.byPath[path] = .some(found)
      if cache.byObject.count < mostObjects { cache.byObject[object] = (path, found) }
    }
    return found
  }

  private static func find(_ keyPath: AnyKeyPath) -> KeyPathSteps? {
    if let named = SortPaths.steps(of: keyPath) { return named }
    let root = type(of: keyPath).rootType
    if let model = root as? any PersistentModel.Type { return find(keyPath, of: model) }
    if let collection = root as? any StoredCollection.Type {
      return collection.aggregate(of: keyPath).map { KeyPathSteps(aggregate: $0) }
    }
    if let raw = root as? any RawRepresentable.Type, RawValuePath.isOne(keyPath, of: raw) {
      return KeyPathSteps()
    }
    if let found = QueryFunction.all(of: root).first(where: { $0.keyPath == keyPath }) {
      return KeyPathSteps(function: found.function)
    }
    return ProbedPaths.path(of: keyPath).map { KeyPathSteps(names: $0) }
  }

  private static func find(
    _ keyPath: AnyKeyPath,
    of model: any PersistentModel.Type
  ) -> KeyPathSteps? {
    let layout = ModelLayout.of(model)
    if let name = layout.propertyName(of: keyPath) { return KeyPathSteps(names: [name]) }
    if identifies(keyPath, model) { return KeyPathSteps() }
    if let steps = aggregate(keyPath, layout) ?? function(keyPath, layout) { return steps }
    if keyPath.hasSeveralComponents {
      return ProbedPaths.path(of: keyPath).map { KeyPathSteps(names: $0) }
    }
    // A key path to an inherited property names the subclass and equals no registered key path.
    guard let inherited = layout.superlayout, let names = ProbedPaths.path(of: keyPath),
      let first = names.first, inherited.properties.contains(where: { $0.name == first })
    else { return nil }
    return KeyPathSteps(names: names)
  }

  /// Returns the steps of a key path to an element count, or to another aggregate, of a property.
  private static func aggregate(_ keyPath: AnyKeyPath, _ layout: ModelLayout) -> KeyPathSteps? {
    for property in layout.properties {
      guard let type = type(of: property.keyPath).valueType as? any StoredCollection.Type else {
        continue
      }
      for (path, aggregate) in type.aggregates
      where property.keyPath.appending(path: path) == keyPath {
        return KeyPathSteps(names: [property.name], aggregate: aggregate)
      }
    }
    return nil
  }

  /// A function of a property in one key path, as sort descriptors have it.
  private static func function(_ keyPath: AnyKeyPath, _ layout: ModelLayout) -> KeyPathSteps? {
    for property in layout.properties {
      for (path, function) in QueryFunction.all(of: type(of: property.keyPath).valueType)
      where property.keyPath.appending(path: path) == keyPath {
        return KeyPathSteps(names: [property.name], function: function)
      }
    }
    return nil
  }

  private static func identifies<M: PersistentModel>(_ keyPath: AnyKeyPath, _ model: M.Type) -> Bool
  {
    // The type selects the `id` that all models share and not one that a model declares.
    let id: KeyPath<M, PersistentIdentifier> = \M.id
    return keyPath == \M.persistentModelID || keyPath == id
  }
}

extension AnyKeyPath {
  /// Whether the path continues from a property to a property of its value.
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
