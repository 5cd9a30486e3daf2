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

  /// Whether no step is an ephemeral attribute, whose values no store has.
  var isStored = true

  // Unchecked: key paths are immutable, but only some of them are marked Sendable.
  private struct Path: Hashable, @unchecked Sendable {
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
  ///
  /// With `orEphemeral`, those of a key path to an ephemeral attribute are returned too.
  static func of(_ keyPath: AnyKeyPath, orEphemeral: Bool = false) -> KeyPathSteps? {
    let cached = cache.withLock { $0.byObject[ObjectIdentifier(keyPath)] }
    guard let steps = cached.map({ $0.steps }) ?? noted(keyPath) else { return nil }
    return orEphemeral || steps.isStored ? steps : nil
  }

  /// Finds the steps of a key path that was not requested before, and notes them.
  private static func noted(_ keyPath: AnyKeyPath) -> KeyPathSteps? {
    let path = Path(keyPath)
    let cached = cache.withLock { $0.byPath[path] }
    var found = cached ?? find(keyPath)
    if cached == nil, let steps = found {
      found?.isOrdered =
        StoredOrder.holds(for: type(of: keyPath).valueType) && !steps.endAtIdentifier(of: keyPath)
      found?.isStored = steps.areStored(from: type(of: keyPath).rootType)
    }
    cache.withLock { [found] cache in
      cache.byPath[path] = .some(found)
      if cache.byObject.count < mostObjects {
        cache.byObject[ObjectIdentifier(keyPath)] = (path, found)
      }
    }
    return found
  }

  /// Records the steps of a key path that was created for a sort descriptor; `nil` means a value
  /// that stores do not support.
  ///
  /// A sort descriptor requires a key path to a comparable value. There is none for a property that
  /// is only known by its name, nor for a Boolean. Instead, its key path uses a subscript that
  /// returns the value in its order (``OrderedValue``), from which no steps can be found.
  static func note(_ keyPath: AnyKeyPath, _ steps: KeyPathSteps?) {
    var steps = steps
    steps?.isOrdered = true
    cache.withLock { [steps] in $0.byPath[Path(keyPath)] = .some(steps) }
  }

  private static func find(_ keyPath: AnyKeyPath) -> KeyPathSteps? {
    let root = type(of: keyPath).rootType
    if let model = root as? any PersistentModel.Type { return find(keyPath, of: model) }
    if let member = members(of: root).first(where: { $0.keyPath == keyPath }) {
      return member.steps
    }
    if root is any StoredCollection.Type { return nil }
    if let raw = root as? any RawRepresentable.Type, RawValuePath.isOne(keyPath, of: raw) {
      return KeyPathSteps()
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
    for property in layout.properties {
      for member in members(of: property.valueType)
      where property.keyPath.appending(path: member.keyPath) == keyPath {
        var steps = member.steps
        steps.names = [property.name]
        return steps
      }
    }
    if keyPath.hasSeveralComponents {
      return ProbedPaths.path(of: keyPath).map { KeyPathSteps(names: $0) }
    }
    if let name = ProbedPaths.property(of: keyPath, in: layout) {
      return KeyPathSteps(names: [name])
    }
    // A key path to an inherited property names the subclass and equals no registered key path.
    guard let inherited = layout.superlayout, let names = ProbedPaths.path(of: keyPath),
      let first = names.first, inherited.properties.contains(where: { $0.name == first })
    else { return nil }
    return KeyPathSteps(names: names)
  }

  /// Returns the key paths of the aggregates and functions of a type's values.
  private static func members(of type: Any.Type) -> [(keyPath: AnyKeyPath, steps: KeyPathSteps)] {
    let aggregates = (type as? any StoredCollection.Type)?.aggregates ?? []
    return aggregates.map { ($0, KeyPathSteps(aggregate: $1)) }
      + QueryFunction.all(of: type).map { ($0.keyPath, KeyPathSteps(function: $0.function)) }
  }

  /// Whether the key path ends at an attribute of type `PersistentIdentifier`, whose stored form has
  /// another order.
  private func endAtIdentifier(of keyPath: AnyKeyPath) -> Bool {
    let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
    let plain = (value as? any OptionalType.Type)?.wrapped ?? value
    guard plain == PersistentIdentifier.self, var model = root as? any PersistentModel.Type else {
      return false
    }
    for name in names {
      let property = ModelLayout.of(model).properties.first { $0.name == name }
      guard let shape = property?.shape else { return true }
      model = shape.destination
    }
    return false
  }

  private func areStored(from root: Any.Type) -> Bool {
    var model = root as? any PersistentModel.Type
    for name in names {
      guard let layout = model.map(ModelLayout.of), let index = layout.index(named: name) else {
        return true
      }
      if index >= layout.storedCount { return false }
      model = layout.properties[index].shape?.destination
    }
    return true
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
