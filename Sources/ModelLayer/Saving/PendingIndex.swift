import QueryEvaluation
import StoreProtocol

/// The unsaved new and changed objects of a context, by hierarchy and by values of their properties.
///
/// An import fetches before each insertion. If each fetch examined all unsaved objects, the import
/// would take quadratic time. The index therefore grows with the lists of ``PendingChanges``, and an
/// edit marks its object, which the next search reads again.
///
/// These are classes, because reading a value may load it, and come back here.
final class PendingIndex {
  /// The numbers of objects of each list that are in the index.
  private var counts = (inserted: 0, changed: 0, deleted: 0)
  private var hierarchies: [String: PendingHierarchy] = [:]

  /// The roots of the hierarchies that have unsaved objects.
  private(set) var roots: Set<String> = []

  /// Adds the objects that were added to the lists.
  func add(
    inserted: [any PersistentModel],
    changed: [any PersistentModel],
    deleted: [any PersistentModel]
  ) {
    for model in inserted[counts.inserted...] { add(model, isDeleted: false) }
    for model in changed[counts.changed...] { add(model, isDeleted: false) }
    for model in deleted[counts.deleted...] { add(model, isDeleted: true) }
    counts = (inserted.count, changed.count, deleted.count)
  }

  private func add(_ model: any PersistentModel, isDeleted: Bool) {
    guard let root = model.registration?.entity.root else { return }
    roots.insert(root)
    hierarchy(root).add(model, isDeleted: isDeleted)
  }

  /// Notes that an object is about to change.
  func noteEdit(of model: any PersistentModel) {
    guard !hierarchies.isEmpty, let root = model.registration?.entity.root else { return }
    hierarchies[root]?.noteEdit(of: model)
  }

  /// Returns the objects of a hierarchy.
  func hierarchy(_ root: String) -> PendingHierarchy {
    if let found = hierarchies[root] { return found }
    let made = PendingHierarchy()
    hierarchies[root] = made
    return made
  }
}

/// The unsaved new and changed objects of one hierarchy, in the order in which they were added.
final class PendingHierarchy {
  private var models: [any PersistentModel] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var indexes: [[String]: PendingValues] = [:]
  private var edited: Set<Int> = []
  /// The number of new objects of each entity, including those that were deleted since.
  private(set) var insertedCounts: [String: Int] = [:]
  /// The number of objects that changed or were deleted.
  private(set) var editedCount = 0
  /// The new objects whose unique values were compared with the stored ones.
  var compared: ComparedObjects?

  /// New objects whose unique values were compared with those of a store.
  struct ComparedObjects {
    /// The number of the store's last save then.
    let save: Int64
    /// The number of objects, from the first.
    var count = 0
    /// The rows that the objects will replace, with the numbers of the objects.
    var replaced: [PersistentIdentifier: Int] = [:]
  }

  /// The objects that are still new or changed, new ones in the order of their insertion.
  var current: [any PersistentModel] { models.filter(\.isPending) }

  /// Returns those of some objects that are still new or changed, in the same order.
  func current(_ numbers: Set<Int>) -> [any PersistentModel] {
    numbers.sorted().map { models[$0] }.filter(\.isPending)
  }

  /// The number of objects, including those that are no longer new or changed.
  var count: Int { models.count }

  fileprivate func add(_ model: any PersistentModel, isDeleted: Bool) {
    if isDeleted { return editedCount += 1 }
    guard numbers[ObjectIdentifier(model)] == nil else { return }
    numbers[ObjectIdentifier(model)] = models.count
    models.append(model)
    if model._$state.flags.contains(.inserted), let name = model.registration?.entity.name {
      insertedCounts[name, default: 0] += 1
    } else {
      editedCount += 1
    }
  }

  fileprivate func noteEdit(of model: any PersistentModel) {
    guard !indexes.isEmpty, let number = numbers[ObjectIdentifier(model)] else { return }
    edited.insert(number)
    guard var compared, number < compared.count else { return }
    compared.count = number
    compared.replaced = compared.replaced.filter { $0.value < number }
    self.compared = compared
  }

  /// Returns the numbers of the objects that may have given values of some properties.
  func numbers(with values: [StoreValue], of properties: [String]) -> [Int] {
    index(of: properties).numbers(with: GroupKey(values))
  }

  /// Returns whether each object has values of some properties that no other one has.
  func areDistinct(_ properties: [String]) -> Bool { index(of: properties).areDistinct }

  /// Returns an object by its number.
  subscript(number: Int) -> any PersistentModel { models[number] }

  /// Returns the number of an object, or `nil` for objects without unsaved changes.
  func number(of model: any PersistentModel) -> Int? { numbers[ObjectIdentifier(model)] }

  /// Returns the index of some properties, with the current values.
  private func index(of properties: [String]) -> PendingValues {
    let found = indexes[properties] ?? PendingValues(properties)
    indexes[properties] = found
    let edited = edited
    self.edited = []
    for number in edited {
      for index in indexes.values { index.replace(number, models[number]) }
    }
    found.add(models)
    return found
  }
}

/// The numbers of unsaved objects by their values of some properties.
private final class PendingValues {
  private let properties: [String]
  private var numbersByValues: [GroupKey: [Int]] = [:]
  /// The values of each object, or `nil` if they may change unnoticed.
  private var keys: [GroupKey?] = []
  /// The objects whose values may change unnoticed.
  private var others: Set<Int> = []
  private let reader = PropertyReader()

  init(_ properties: [String]) { self.properties = properties }

  /// Whether each object has its values alone.
  var areDistinct: Bool { others.isEmpty && numbersByValues.count == keys.count }

  func numbers(with key: GroupKey) -> [Int] { (numbersByValues[key] ?? []) + others }

  func add(_ models: [any PersistentModel]) {
    for number in keys.count..<models.count {
      keys.append(nil)
      insert(number, models[number])
    }
  }

  func replace(_ number: Int, _ model: any PersistentModel) {
    guard number < keys.count else { return }
    if let key = keys[number] {
      numbersByValues[key]?.removeAll { $0 == number }
      if numbersByValues[key]?.isEmpty == true { numbersByValues[key] = nil }
    }
    others.remove(number)
    insert(number, model)
  }

  private func insert(_ number: Int, _ model: any PersistentModel) {
    let key = key(of: model)
    keys[number] = key
    if let key {
      numbersByValues[key, default: []].append(number)
    } else {
      others.insert(number)
    }
  }

  private func key(of model: any PersistentModel) -> GroupKey? {
    guard let registration = model.registration else { return nil }
    var values: [StoreValue] = []
    for name in properties {
      guard let index = registration.entity.indexByName[name] else {
        values.append(.null)
        continue
      }
      guard model.notesChanges(of: index, registration),
        case .value(let value) = reader.content(of: index, in: model), value.isIndexable
      else { return nil }
      values.append(value)
    }
    return GroupKey(values)
  }
}

extension PersistentModel {
  /// Whether the object is new or changed, and not deleted.
  fileprivate var isPending: Bool {
    let flags = _$state.flags
    return !flags.contains(.deleted) && !flags.isDisjoint(with: [.inserted, .changed])
      && _$state.registration != nil
  }

  /// Whether the object is new, changed or deleted.
  var isUnsaved: Bool { !_$state.flags.isDisjoint(with: [.inserted, .changed, .deleted]) }

  /// Whether the next change of an attribute is noted.
  ///
  /// All changes of a new object are, and the first change of each attribute of a saved one.
  fileprivate func notesChanges(of index: Int, _ registration: EntityRegistration) -> Bool {
    guard index < 63, registration.isPlain[index] else { return false }
    return _$state.flags.contains(.inserted) || _$state.dirty & _ModelState.bit(index) == 0
  }
}

extension StoreValue {
  /// Whether equal values have equal hashes.
  ///
  /// A decimal number has another hash than an equal number of another kind.
  fileprivate var isIndexable: Bool {
    switch self {
    case .null, .bool, .integer, .unsigned, .double, .string, .date, .data, .uuid: true
    case .decimal, .identifier, .identifiers, .array, .composite: false
    }
  }
}
