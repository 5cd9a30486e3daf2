import StoreProtocol

/// The state of a context before the changes of one group, as far as they changed it.
///
/// It contains each property of each object once, with its content before the group's first change.
/// Both ends of a relationship change, so it contains both. An object that the group inserted has
/// no values here, since it does not exist after the group is undone.
final class UndoRecord {
  private struct ObjectProperty: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }

  /// Whether objects belonged to the context, in the order of the changes.
  private(set) var memberships: [(model: any PersistentModel, wasMember: Bool)] = []
  /// The contents of properties, in the order of their changes.
  private(set) var contents: [(model: any PersistentModel, index: Int, content: PropertyContent)] =
    []
  private var recordedObjects: Set<ObjectIdentifier> = []
  private var newObjects: Set<ObjectIdentifier> = []
  private var properties: Set<ObjectProperty> = []

  /// Notes whether an object belonged to the context, the first time that this changes.
  func noteMembership(of model: any PersistentModel, wasMember: Bool) {
    let object = ObjectIdentifier(model)
    guard recordedObjects.insert(object).inserted else { return }
    memberships.append((model, wasMember))
    if !wasMember { newObjects.insert(object) }
  }

  /// Whether the group inserted an object.
  func inserts(_ model: any PersistentModel) -> Bool {
    newObjects.contains(ObjectIdentifier(model))
  }

  /// Forgets that the group inserted an object, because it became an update of another one.
  func forgetInsertion(of model: any PersistentModel) {
    memberships.removeAll { $0.model === model }
    newObjects.remove(ObjectIdentifier(model))
  }

  /// Returns the content of a property before the group, or `nil` if the group did not change it.
  func content(of model: any PersistentModel, at index: Int) -> PropertyContent? {
    guard properties.contains(ObjectProperty(object: ObjectIdentifier(model), index: index)) else {
      return nil
    }
    return contents.first { $0.model === model && $0.index == index }?.content
  }

  /// Notes the content of a property, the first time that it changes.
  func noteContent(
    of model: any PersistentModel,
    at index: Int,
    _ content: @autoclosure () -> PropertyContent
  ) {
    let object = ObjectIdentifier(model)
    guard
      !newObjects.contains(object),
      properties.insert(ObjectProperty(object: object, index: index)).inserted
    else { return }
    contents.append((model, index, content()))
  }
}

extension PropertyContent {
  /// Whether both have the same value, or the same objects in the same order.
  func isSame(as other: PropertyContent) -> Bool {
    switch (self, other) {
    case (.value(let a), .value(let b)): a == b
    case (.models(let a), .models(let b)): a.elementsEqual(b) { $0 === $1 }
    case (.fault(let a), .fault(let b)): a == b
    case (.reference(let a), .reference(let b)): a.key == b.key
    default: false
    }
  }
}
