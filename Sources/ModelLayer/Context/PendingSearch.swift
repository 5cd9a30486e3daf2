import ModelRuntime
import StoreProtocol

/// A search for the unsaved objects that can affect the result of a query.
///
/// These are the objects that have the value that the query requires, and all that they will replace,
/// or be replaced by. Without a required value, they are all objects of the hierarchy.
struct PendingSearch {
  private let hierarchy: PendingHierarchy
  private let requirement: Requirement?
  private let context: ContextState
  /// The properties of each constraint of the hierarchy.
  private let constraints: [[String]]

  init(_ query: StoreQuery, in registration: EntityRegistration) {
    context = registration.context
    hierarchy = context.pending.indexed.hierarchy(registration.entity.root)
    let family = context.core.schema.storeSchema.family(of: registration.entity.root)
    let lists = family.flatMap(context.core.schema.storeSchema.constraints(of:))
    constraints = Set(lists.map(\.properties)).sorted { $0.lexicographicallyPrecedes($1) }
    requirement = query.filter.flatMap(Requirement.init(leading:))
  }

  /// The number of new objects, including those that were deleted since.
  private var insertedCount: Int { hierarchy.insertedCounts.values.reduce(0, +) }

  /// The names of the properties with unique values, if there are new objects.
  var uniqueProperties: Set<String> { insertedCount > 0 ? Set(constraints.joined()) : [] }

  /// The number of rows that a result lacks at most because of unsaved objects.
  ///
  /// A new object replaces no more rows than it has sets of unique values.
  var replaceableRows: Int { hierarchy.editedCount + insertedCount * constraints.count }

  /// Returns the objects, for a query whose stored result is given; new ones in the order of their
  /// insertion.
  func models(with rows: [any PersistentModel]) -> [any PersistentModel] {
    guard let requirement else { return hierarchy.current }
    let found = hierarchy.numbers(with: [requirement.value], of: [requirement.property])
    var numbers = Set(found)
    var open = found.map { hierarchy[$0] } + (constraints.isEmpty ? [] : rows)
    let live = LiveEvaluation(context: context)
    while let model = open.popLast() {
      guard !constraints.isEmpty, let row = live.row(of: model) else { continue }
      for properties in constraints {
        let values = properties.map { row.value(of: $0) }
        for number in hierarchy.numbers(with: values, of: properties)
        where numbers.insert(number).inserted {
          open.append(hierarchy[number])
        }
      }
    }
    return hierarchy.current(numbers)
  }

  /// Returns by how many all objects of some entities exceed their rows, or `nil` if that is not
  /// known without the rows.
  ///
  /// It is known if objects were inserted only, no two with equal unique values. Those that were
  /// inserted since the last call are compared with the store, or all if it was saved meanwhile.
  func excess(of entities: Set<String>, in store: any RecordStore) throws -> Int? {
    guard hierarchy.editedCount == 0 else { return nil }
    let inserted = entities.reduce(0) { $0 + (hierarchy.insertedCounts[$1] ?? 0) }
    if constraints.isEmpty { return inserted }
    guard constraints.allSatisfy(hierarchy.areDistinct),
      let history = store as? any HistoryKeeping
    else { return nil }
    // A single count costs no more than the rows.
    guard hierarchy.compared != nil else {
      hierarchy.compared = .init(save: .min)
      return nil
    }
    let replaced = try replacedRows(atSave: history.historyBounds().last)
    return inserted - replaced.count { entities.contains($0.entityName) }
  }

  private func replacedRows(atSave save: Int64) throws -> [PersistentIdentifier] {
    var compared = hierarchy.compared ?? .init(save: save)
    if compared.save != save { compared = .init(save: save) }
    let models = (compared.count..<hierarchy.count).map { hierarchy[$0] }
    let new = PendingUniqueValues(of: models, in: context)
    let stored = try new.storedObjects { _ in true }
    let merges = PendingMerges(of: new, into: stored, in: context)
    for row in merges.replacedModels {
      compared.replaced[row.persistentModelID] = hierarchy.number(of: merges.successor(of: row))
    }
    compared.count = hierarchy.count
    hierarchy.compared = compared
    return Array(compared.replaced.keys)
  }
}

extension LiveRow {
  /// Returns the value of a property, or null if the row's entity lacks it.
  fileprivate func value(of property: String) -> StoreValue {
    entity.indexByName[property].map(value(at:)) ?? .null
  }
}
