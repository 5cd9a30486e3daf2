/// A person as an object of a context, by hand.
final class KeptPerson {
  private(set) var state: KeptState
  private let storedName: String
  fileprivate unowned(unsafe) var parent: KeptPerson?
  /// Nil as long as they were not asked for.
  fileprivate var storedChildren: [KeptPerson]?
  fileprivate unowned(unsafe) let generation: KeptGeneration?

  fileprivate init(
    _ row: borrowing RawStatement,
    _ context: KeptContext,
    _ generation: KeptGeneration?
  ) throws {
    state = KeptState(context: context, key: row.integer(1), version: row.integer(2))
    storedName = try row.checkedText(3)
    self.generation = generation
  }

  deinit { state.context?.persons.remove(state.key) }

  var name: String {
    Question.ask()
    return storedName
  }

  /// The children, which are read when they are first asked for, with those of others.
  var children: [KeptPerson] {
    get throws {
      Question.ask()
      if storedChildren == nil { try generation?.readChildren(around: self) }
      return storedChildren ?? []
    }
  }
}

/// The persons of one table, and what reads their children.
private final class KeptGeneration {
  private let store: KeptStore
  private let context: KeptContext
  private let next: KeptGeneration?
  private let members: RawStatement
  private let orders: RawStatement
  private var pages = KeptPages<KeptPerson>()

  init(
    _ store: KeptStore,
    _ context: KeptContext,
    _ table: String,
    children: String,
    next: KeptGeneration?
  ) throws {
    self.store = store
    self.context = context
    self.next = next
    let keys = "IN (SELECT value FROM json_each(?))"
    members = try store.database.statement(
      "SELECT parent, _key, _version, name FROM \"\(children)\" WHERE parent \(keys)"
    )
    orders = try store.database.statement(
      "SELECT _key FROM \"\(table)\" WHERE _key \(keys) AND children IS NOT NULL"
    )
  }

  func add(_ persons: [KeptPerson]) { pages.add(persons) }

  func readChildren(around person: KeptPerson) throws {
    let owners = try pages.page(around: person).filter { $0.storedChildren == nil }
    let keys = KeyRanges.list(owners.map(\.state.key))
    let children = try store.reading {
      let children = try read(owners, keys)
      try store.checkOrders(orders, keys)
      return children
    }
    next?.add(children)
  }

  private func read(_ owners: [KeptPerson], _ keys: String) throws -> [KeptPerson] {
    members.bind(keys, at: 1)
    defer { members.reset() }
    var children: [KeptPerson] = []
    var index = 0
    var start = 0
    while try members.checkedStep() {
      let owner = try members.checkedInteger(0)
      while index < owners.count, owners[index].state.key != owner {
        owners[index].storedChildren = Array(children[start...])
        start = children.count
        index += 1
      }
      guard index < owners.count else { throw BenchmarkError("a row has an owner out of order") }
      let child = try child(members.integer(1))
      child.parent = owners[index]
      children.append(child)
    }
    for owner in owners[index...] {
      owner.storedChildren = Array(children[start...])
      start = children.count
    }
    return children
  }

  private func child(_ key: Int) throws -> KeptPerson {
    if let known = context.persons[key] { return known }
    let child = try KeptPerson(members, context, next)
    context.persons.add(child, key)
    return child
  }
}

/// Families of a store, read into one context.
final class KeptFamilies {
  private let store: KeptStore
  private let context = KeptContext()
  private let parents: KeptGeneration
  private let grandparents: KeptGeneration

  init(_ store: KeptStore) throws {
    self.store = store
    parents = try KeptGeneration(store, context, "Parent", children: "Grandchild", next: nil)
    grandparents = try KeptGeneration(
      store,
      context,
      "Grandparent",
      children: "Parent",
      next: parents
    )
  }

  /// All grandparents, with their children where those are prefetched.
  func all(prefetched: Bool) throws -> [KeptPerson] {
    let rows = try store.database.statement(
      "SELECT NULL, _key, _version, name FROM \"Grandparent\" ORDER BY _key"
    )
    var found: [KeptPerson] = []
    while try rows.checkedStep() {
      let one = try KeptPerson(rows, context, grandparents)
      context.persons.add(one, one.state.key)
      found.append(one)
    }
    grandparents.add(found)
    if prefetched {
      for one in found where one.storedChildren == nil {
        try grandparents.readChildren(around: one)
      }
    }
    return found
  }
}
