/// A person as an object of a context, by hand.
final class KeptPerson {
  private(set) var state: KeptState
  let name: String
  fileprivate unowned(unsafe) var parent: KeptPerson?
  fileprivate(set) var children: [KeptPerson] = []

  fileprivate init(
    _ row: borrowing RawStatement,
    _ context: KeptContext,
    parent: KeptPerson?
  ) throws {
    state = KeptState(context: context, key: row.integer(1), version: row.integer(2))
    name = try row.checkedText(3)
    self.parent = parent
  }

  deinit { state.context.persons.remove(state.key) }
}

extension KeptStore {
  /// All grandparents with their children and theirs.
  func families(in context: KeptContext) throws -> [KeptPerson] {
    let oldest = try database.statement(
      "SELECT NULL, _key, _version, name FROM \"Grandparent\" ORDER BY _key"
    )
    var grandparents: [KeptPerson] = []
    while try oldest.checkedStep() {
      let one = try KeptPerson(oldest, context, parent: nil)
      context.persons.add(one, one.state.key)
      grandparents.append(one)
    }
    let parents = try children("Parent", of: grandparents, context)
    _ = try children("Grandchild", of: parents, context)
    return grandparents
  }

  private func children(
    _ table: String,
    of owners: [KeptPerson],
    _ context: KeptContext
  ) throws -> [KeptPerson] {
    let rows = try database.statement(
      "SELECT parent, _key, _version, name FROM \"\(table)\" ORDER BY parent, _key"
    )
    var children: [KeptPerson] = []
    var next = 0
    while try rows.checkedStep() {
      let owner = try rows.checkedInteger(0)
      while owners[next].state.key != owner { next += 1 }
      guard context.persons[rows.integer(1)] == nil else { continue }
      let child = try KeptPerson(rows, context, parent: owners[next])
      context.persons.add(child, child.state.key)
      owners[next].children.append(child)
      children.append(child)
    }
    return children
  }
}
