import StoreProtocol

/// The elements of a to-many relationship of several objects, grouped by owner in the order of the
/// owners.
struct MemberGroups: Sequence {
  /// The elements of all owners; those of one are consecutive and in order.
  private(set) var all: [any PersistentModel]
  /// The end index of each owner's elements.
  private var ends: [Int]

  /// Reads the elements; new ones are created from their rows, and registered ones with older values
  /// are updated.
  ///
  /// An element that another program moved would otherwise be here, and say that it is elsewhere: the
  /// next change of it would be noted at the wrong owner.
  ///
  /// If the store can return each row with its owner, this takes one request. Otherwise one returns the
  /// identifiers and another the rows.
  ///
  /// - Parameters:
  ///   - index: The index of the relationship.
  ///   - owners: Objects with rows, each once.
  ///   - registration: The registration of the owners.
  ///   - target: The registration of the elements.
  /// - Throws: Errors of the store.
  init(
    _ index: Int,
    of owners: [any PersistentModel],
    in registration: EntityRegistration,
    _ target: EntityRegistration
  ) throws {
    let property = registration.entity.properties[index]
    let keys = owners.map(\._$state.key)
    let positions = Dictionary(zip(keys, keys.indices)) { _, latest in latest }
    var arrivals = ElementsInRowOrder()
    let context = registration.context
    try BulkChanges(in: context).carryOut()
    var materializer = ObjectMaterializer(nil, of: target, refresh: .older)
    let identifiers = owners.map(\.persistentModelID)
    let found = try registration.store.readMembers(
      of: property,
      in: registration.entity,
      owners: identifiers,
      wantsRows: true
    ) { owner, reader in
      guard let position = positions[owner], let number = reader.number else { return }
      arrivals.append(try materializer.model(of: reader), number, of: position)
    }
    guard case .read(let orders) = found else {
      let lists = try context.loader.objects(in: found, of: identifiers, target)
      all = Array(lists.joined())
      ends = lists.reduce(into: []) { ends, list in ends.append((ends.last ?? 0) + list.count) }
      return
    }
    (all, ends) = arrivals.grouped(keys.count)
    for (position, key) in keys.enumerated() {
      guard let list = orders.isEmpty ? nil : orders[key], !list.isEmpty else { continue }
      let members = MemberOrder.ordered(Array(all[range(position)]), by: list, key: \._$state.key)
      all.replaceSubrange(range(position), with: members)
    }
    context.objects.evictIfCrowded(except: materializer.madeCount, unless: context.isNeeded)
  }

  private func range(_ position: Int) -> Range<Int> {
    (position == 0 ? 0 : ends[position - 1])..<ends[position]
  }

  /// Returns an iterator over the elements of each owner.
  func makeIterator() -> some IteratorProtocol<ArraySlice<any PersistentModel>> {
    ends.indices.lazy.map { all[range($0)] }.makeIterator()
  }
}

/// Elements in the order of their rows.
private struct ElementsInRowOrder {
  private var models: [any PersistentModel] = []
  private var rows: [(position: Int, key: Int64)] = []
  /// Whether the rows came in the order of their owners, and those of an owner in ascending order
  /// of keys.
  private var isInOrder = true

  mutating func append(_ model: any PersistentModel, _ key: Int64, of position: Int) {
    if isInOrder, let last = rows.last { isInOrder = last < (position, key) }
    models.append(model)
    rows.append((position, key))
  }

  /// Returns the elements by owner and key, and the end index of each owner's elements.
  func grouped(_ ownerCount: Int) -> ([any PersistentModel], ends: [Int]) {
    var ends = Array(repeating: 0, count: ownerCount)
    for row in rows { ends[row.position] += 1 }
    for position in ends.indices.dropFirst() { ends[position] += ends[position - 1] }
    if isInOrder { return (models, ends) }
    let order = models.indices.sorted { rows[$0] < rows[$1] }
    return (order.map { models[$0] }, ends)
  }
}
