import StoreProtocol

/// The members of a to-many relationship of several objects, from rows that say whose they are.
struct MemberGroups {
  /// The members of each owner, in order.
  let members: [[any PersistentModel]]

  /// The members of one owner as they come.
  private struct Group {
    var models: [any PersistentModel] = []
    var lastKey = Int64.min
    var isAscending = true

    mutating func append(_ model: any PersistentModel, _ key: Int64) {
      isAscending = isAscending && key > lastKey
      lastKey = key
      models.append(model)
    }

    /// Listed members first, the others behind them in the order of their keys.
    func ordered(by list: [Int64]?) -> [any PersistentModel] {
      let rising = isAscending ? models : models.sorted { $0._$state.key < $1._$state.key }
      guard let list, !list.isEmpty else { return rising }
      var places: [Int64: Int] = [:]
      for (place, key) in list.enumerated() where places[key] == nil { places[key] = place }
      let placesOf = rising.map { places[$0._$state.key] ?? .max }
      return rising.indices.sorted { (placesOf[$0], $0) < (placesOf[$1], $1) }.map { rising[$0] }
    }
  }

  /// Reads the members, new ones with their rows; those that the context knows stay as they are.
  ///
  /// nil where the store does not say with a row whose it is.
  ///
  /// - Parameters:
  ///   - index: The place of the relationship.
  ///   - owners: Objects with rows.
  ///   - registration: The place of the owners.
  ///   - target: The place of the members.
  /// - Throws: What the store throws.
  init?(
    _ index: Int,
    of owners: [any PersistentModel],
    in registration: EntityRegistration,
    _ target: EntityRegistration
  ) throws {
    let property = registration.entity.properties[index]
    guard property.isDerivedToMany, let reading = registration.backend.memberReading else {
      return nil
    }
    let keys = owners.map(\._$state.key)
    var places: [Int64: Int] = [:]
    places.reserveCapacity(keys.count)
    for (place, key) in keys.enumerated() { places[key] = place }
    var groups = Array(repeating: Group(), count: owners.count)
    let context = registration.context
    try context.carryOutBulkChanges()
    let countBefore = context.registeredCount
    var intake = RowIntake(nil, into: context, target, refresh: .none)
    var last = (key: Int64.min, place: 0)
    let orders = try reading.readMembers(
      of: property.name,
      in: registration.entity.name,
      owners: keys
    ) { owner, identifier, reader in
      if owner != last.key {
        guard let place = places[owner] else { return }
        last = (owner, place)
      }
      let model = try intake.model(of: identifier, reader)
      groups[last.place].append(model, identifier.integerKey ?? .min)
    }
    guard let orders else { return nil }
    members = zip(groups, keys).map { group, key in group.ordered(by: orders[key]) }
    context.evictIfCrowded(except: context.registeredCount - countBefore)
  }
}
