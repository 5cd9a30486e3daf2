import Observation
import StoreProtocol

/// State that an object has only while it is observed or has unsaved changes.
final class ModelExtra: _ModelExtra {
  /// The observers of the object, created at the first observation.
  var registrar: ObservationRegistrar?
  /// The values from before the first unsaved change of each property, in the order of the changes.
  var originals: [Original] = []
  /// The elements that were added to and removed from to-many relationships that were not loaded.
  var members: [Int: MemberChanges] = [:]
  /// The ``EditedArray`` of each property that was edited in place since the last save.
  var edited: [Int: AnyObject] = [:]
  /// The keys of to-one relationships whose keys are not integers, by property.
  var references: [Int: PersistentIdentifier] = [:]
  /// The number of the context's deletions when deleted objects were last removed from to-many
  /// relationships.
  var seenDeletions: UInt64 = 0
  /// The attributes whose values were left out when the row was read.
  var unloaded: [Int] = []
  /// The attributes whose stored values their types refused when the row was read.
  var unreadable: [Int] = []

  /// Returns the position of the original of a list to which objects were only appended.
  fileprivate func unkeptOriginal(of index: Int) -> Int? {
    originals.firstIndex { $0.index == index && $0.content == nil }
  }

  /// Drops what is of no use once the changes are saved or undone.
  func endChanges() {
    originals = []
    edited = [:]
  }
}

/// The value of a property before its first unsaved change.
struct Original {
  /// The property.
  let index: Int
  /// The content, or `nil` for that of the loaded list without the appended objects.
  ///
  /// A program that saves after each few appended objects would otherwise copy the list each time.
  private(set) var content: PropertyContent?
  /// The objects that were appended to the list, while that is its only change.
  private(set) var appended: [any PersistentModel] = []

  /// Keeps the content, before the list changes in another way.
  fileprivate mutating func keep(_ elements: [any PersistentModel]) {
    content = .models(elements.dropLast(appended.count))
    appended = []
  }

  /// Notes objects that were appended to the list.
  fileprivate mutating func append(_ models: [any PersistentModel]) { appended += models }
}

/// The content of a property at one moment, with relationships as objects.
enum PropertyContent {
  /// The stored form of an attribute.
  case value(StoreValue)
  /// The objects of a relationship.
  case models([any PersistentModel])
  /// A relationship that is not loaded, with the key of a to-one.
  case fault(Int64)
  /// A to-one relationship that is not loaded, and whose key is not an integer.
  case reference(PersistentIdentifier)
  /// An attribute whose value has no stored form.
  case failure(any Error)
}

/// The changes of a to-many relationship from its other end.
struct MemberChanges {
  /// The objects that were added, in order.
  private(set) var added: [any PersistentModel] = []
  /// The objects that were removed.
  private(set) var removed: Set<ObjectIdentifier> = []
  /// The objects that were added, if they were ever so many that a search through them would take long.
  private var joined: Set<ObjectIdentifier> = []
  private static let few = 8

  /// Whether an object was added.
  func adds(_ model: any PersistentModel) -> Bool {
    added.count > Self.few
      ? joined.contains(ObjectIdentifier(model)) : added.contains { $0 === model }
  }

  /// Notes that an object was added; it is then the last, even if it was removed before.
  mutating func add(_ model: any PersistentModel) {
    if adds(model) { return }
    added.append(model)
    if !joined.isEmpty {
      joined.insert(ObjectIdentifier(model))
    } else if added.count > Self.few {
      joined = Set(added.map(ObjectIdentifier.init))
    }
  }

  /// Returns whether an object was added, which is then no longer.
  private mutating func removeAdded(_ model: any PersistentModel) -> Bool {
    guard adds(model) else { return false }
    added.removeAll { $0 === model }
    joined.remove(ObjectIdentifier(model))
    return true
  }

  /// Notes that an object was removed.
  ///
  /// An unsaved object that was just added may end, and another one may get its address.
  mutating func remove(_ model: any PersistentModel, isSaved: Bool) {
    if removeAdded(model), !isSaved { return }
    removed.insert(ObjectIdentifier(model))
  }

  /// Forgets that an object was added or removed.
  mutating func forget(_ model: any PersistentModel) {
    _ = removeAdded(model)
    removed.remove(ObjectIdentifier(model))
  }

  /// Adds later changes.
  mutating func append(_ later: MemberChanges) {
    for model in later.added { add(model) }
    removed.formUnion(later.removed)
  }
}

extension PersistentModel {
  /// The extra of this object, created on first access.
  var modelExtra: ModelExtra {
    let existing = existingExtra
    if let existing, existing.departure == nil { return existing }
    let made = ModelExtra()
    if existing != nil { made.identifier = _$state.ownIdentifier }
    _$state.extra = made
    return made
  }

  /// The extra of this object, if it has one; writing to it requires one of its own.
  var existingExtra: ModelExtra? {
    // The cast costs nothing this way, and the base class has this one subclass.
    _$state.extra.map { unsafeDowncast($0, to: ModelExtra.self) }
  }

  /// Returns the content of a property before its first unsaved change, or `nil` if there is none.
  func original(of index: Int) -> PropertyContent? {
    keepOriginal(of: index) { loadedObjects(at: index) }
    return existingExtra?.originals.first { $0.index == index }?.content
  }

  /// Returns the objects that were appended to a list since the last save, or `nil` unless that is its
  /// only change.
  func appended(to index: Int) -> [any PersistentModel]? {
    existingExtra?.originals.first { $0.index == index && $0.content == nil }?.appended
  }

  /// Keeps the original content of a list, unless it is kept, before a change from some elements.
  func keepOriginal(of index: Int, from elements: () -> [any PersistentModel]) {
    guard let extra = existingExtra, let position = extra.unkeptOriginal(of: index) else { return }
    extra.originals[position].keep(elements())
  }

  /// Notes objects that were appended to a list.
  func noteAppended(to index: Int, _ models: () -> [any PersistentModel]) {
    guard let extra = existingExtra, let position = extra.unkeptOriginal(of: index) else { return }
    extra.originals[position].append(models())
  }

  /// Releases the second array of a property that is not edited in place now.
  func forgetEditedArray(at index: Int) {
    guard let extra = existingExtra, !extra.edited.isEmpty else { return }
    _ = extra.edited.removeValue(forKey: index)
  }
}
