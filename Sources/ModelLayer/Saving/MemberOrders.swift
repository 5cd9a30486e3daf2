import ModelRuntime
import StoreProtocol

/// The orders of to-many relationships that changed from their elements' ends.
///
/// Elements that a relationship does not list are ordered by key. A new one has the largest key and
/// is then the last, unless another new one, inserted before it, was added after it. A saved object
/// that was added is the last in memory, whatever its key, and may still be listed from an earlier
/// time. The order of each such relationship is therefore computed before a save, and written if
/// the store would return another one.
struct MemberOrders {
  /// The owners whose orders are written.
  private(set) var owners: [any PersistentModel] = []
  private var changes: [ObjectIdentifier: [StoreUpdate.Change]] = [:]
  private let keys: KeyOrder

  /// One relationship of some owners of one entity.
  private struct Group: Hashable {
    let registration: EntityRegistration
    let index: Int
  }

  /// Computes the orders.
  ///
  /// - Throws: Errors of the stores, which are queried for lists and elements.
  init(_ pending: PendingChanges, keys: KeyOrder) throws {
    self.keys = keys
    var groups: [Group: [any PersistentModel]] = [:]
    var order: [Group] = []
    for (owner, index) in pending.relationshipsToOrder(keys) {
      guard let registration = owner.registration else { continue }
      let group = Group(registration: registration, index: index)
      if groups[group] == nil { order.append(group) }
      groups[group, default: []].append(owner)
    }
    for group in order { try add(group, groups[group] ?? []) }
  }

  /// Returns the orders of an object's relationships that are written.
  func changes(of owner: any PersistentModel) -> [StoreUpdate.Change] {
    changes[ObjectIdentifier(owner)] ?? []
  }

  private mutating func add(_ group: Group, _ owners: [any PersistentModel]) throws {
    let registration = group.registration
    let lists = try lists(group, owners)
    let unloaded = owners.filter { owner in
      if case .models = PropertyReader.content(of: group.index, in: owner) { return false }
      return true
    }
    let stored =
      unloaded.isEmpty
      ? [:]
      : try registration.store.members(
        of: registration.entity.properties[group.index].name,
        in: registration.entity.name,
        owners: unloaded.map(\.persistentModelID)
      )
    for owner in owners {
      guard let list = lists[owner.persistentModelID] else { continue }
      let members =
        stored[owner.persistentModelID].map { merged($0, group, owner) }
        ?? owner.related(at: group.index).filter { !$0.isDeleted }.map(keys.member)
      note(members, list, group, owner)
    }
  }

  private func lists(
    _ group: Group,
    _ owners: [any PersistentModel]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    let query = StoreQuery.rows(
      owners.map(\.persistentModelID),
      of: group.registration.entity.name
    )
    var result: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    try group.registration.store.readRows(of: query) { reader in
      result[reader.identifier] = try reader.value(at: group.index).identifiers
    }
    return result
  }

  /// Returns the stored elements with the noted changes of a relationship that is not loaded.
  private func merged(
    _ stored: [PersistentIdentifier],
    _ group: Group,
    _ owner: any PersistentModel
  ) -> [KeyOrder.Member] {
    let noted = owner.existingExtra?.members[group.index] ?? MemberChanges()
    let map = group.registration.destination(of: group.index)?.identityMap
    var members = stored.filter { identifier in
      guard let registered = map?.model(for: identifier.key) else { return true }
      return !registered.isDeleted && !noted.removed.contains(ObjectIdentifier(registered))
    }.map { KeyOrder.Member(identifier: $0, position: nil) }
    var present = Set(members)
    for model in noted.added where !model.isDeleted {
      let member = keys.member(model)
      if present.insert(member).inserted { members.append(member) }
    }
    return members
  }

  private mutating func note(
    _ members: [KeyOrder.Member],
    _ list: [PersistentIdentifier],
    _ group: Group,
    _ owner: any PersistentModel
  ) {
    let identifiers = members.map(\.identifier)
    let derives = group.registration.derivesMembers
    let given = derives ? keys.ordered(members, by: list).map(\.identifier) : list
    guard given != identifiers else { return }
    let value = derives && keys.isNatural(members) ? .null : StoreValue.identifiers(identifiers)
    if changes[ObjectIdentifier(owner)] == nil { owners.append(owner) }
    changes[ObjectIdentifier(owner), default: []].append(StoreUpdate.Change(group.index, value))
  }
}

extension PendingChanges {
  /// Returns the relationships of saved objects that may need a stored order before a save.
  fileprivate func relationshipsToOrder(
    _ keys: KeyOrder
  ) -> [(model: any PersistentModel, index: Int)] {
    touched.all.filter { owner, index in
      guard let registration = owner.registration,
        owner._$state.flags.isDisjoint(with: [.inserted, .deleted, .vanished]),
        registration.entity.properties[index].isDerivedToMany,
        // A relationship that was set as a whole is written as a whole.
        owner._$state.dirty & _ModelState.bit(index) == 0 || !owner.dirtyIndices.contains(index)
      else { return false }
      return joined.contains(owner, index) || !registration.derivesMembers
        || !keys.isRising(owner.newMembers(at: index))
    }
  }
}

extension PersistentModel {
  /// Returns the new objects at the end of a to-many relationship, if it is loaded, and those that
  /// were added since.
  fileprivate func newMembers(at index: Int) -> [any PersistentModel] {
    let loaded = loadedObjects(at: index).reversed().prefix { $0._$state.flags.contains(.inserted) }
    return loaded.reversed() + (existingExtra?.members[index]?.added ?? [])
  }
}
