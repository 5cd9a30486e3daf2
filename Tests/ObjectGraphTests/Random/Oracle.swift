/// What must hold of a graph of objects, by the simplest code that says it.
///
/// Objects are numbers, values are numbers, relationships are lists. There is what is stored and
/// what it became since, of which a rollback drops everything. Both ends of a relationship change
/// together. Objects that a rollback or a save ended are never touched again.
struct Oracle {
  /// One object.
  struct Object: Equatable {
    let kind: Kind
    var values: [Field: Int] = [:]
    var links: [FleetLink: [Int]] = [:]

    static func == (lhs: Object, rhs: Object) -> Bool {
      lhs.values == rhs.values
        && lhs.links.filter { !$0.value.isEmpty } == rhs.links.filter { !$0.value.isEmpty }
    }
  }

  /// How far an object has come.
  enum Standing {
    case loose, new, stored
  }

  /// The objects as they are now, but for those that ended.
  private(set) var objects: [Int: Object] = [:]
  /// How far they have come.
  private(set) var standings: [Int: Standing] = [:]
  /// What is stored.
  private(set) var stored: [Int: Object] = [:]
  /// What the next save removes.
  private(set) var marked: Set<Int> = []
  /// The objects that may have unsaved changes, be they of nothing.
  private(set) var touched: Set<Int> = []
  /// The new objects, in the order of their insertion.
  private(set) var inserted: [Int] = []
  /// All numbers that objects ever had.
  private(set) var used: Set<Int> = []
  private var unruled: [Int] = []
  private(set) var context = 0

  /// The value of an attribute.
  func value(_ field: Field, of object: Int) -> Int { objects[object]?.values[field] ?? 0 }

  /// The objects of a relationship, those that are marked for deletion included.
  private func list(_ link: FleetLink, of object: Int) -> [Int] {
    objects[object]?.links[link] ?? []
  }

  /// The objects of a relationship as a program sees them.
  func visible(_ link: FleetLink, of object: Int) -> [Int] {
    list(link, of: object).filter { !marked.contains($0) }
  }

  /// Whether an object may be used.
  func isUsable(_ object: Int) -> Bool { objects[object] != nil && !marked.contains(object) }

  /// Whether an object is in the context.
  func isInserted(_ object: Int) -> Bool {
    isUsable(object) && standings[object] != .loose
  }

  /// The objects of a model in the context.
  func all(_ kind: Kind) -> [Int] {
    objects.keys.filter { isInserted($0) && objects[$0]?.kind.isKind(of: kind) == true }.sorted()
  }

  /// Whether a save would change anything stored.
  var differs: Bool {
    if standings.contains(where: { $0.value == .new && !marked.contains($0.key) }) { return true }
    return stored.contains { marked.contains($0.key) || objects[$0.key] != $0.value }
  }
}

// Changes.
extension Oracle {
  /// Adds an object outside of any context.
  mutating func make(_ object: Int, _ kind: Kind, port: Int?) {
    objects[object] = Object(kind: kind, values: [kind.nameField: object])
    used.insert(object)
    standings[object] = .loose
    guard let port else { return }
    insert(object)
    link(object, .port, port)
  }

  /// Brings an object and all that it leads to into the context.
  mutating func insert(_ object: Int) {
    var open = [object]
    while !open.isEmpty {
      let next = open.removeFirst()
      guard standings[next] == .loose, let kind = objects[next]?.kind else { continue }
      standings[next] = .new
      inserted.append(next)
      for link in kind.links { open += list(link, of: next) }
    }
  }

  /// Sets an attribute.
  mutating func set(_ object: Int, _ field: Field, _ value: Int) {
    objects[object]?.values[field] = value
  }

  /// Sets a relationship to one.
  mutating func link(_ object: Int, _ link: FleetLink, _ other: Int?) {
    assign(object, link, other.map { [$0] } ?? [])
  }

  /// Sets a relationship and brings the other ends in step.
  mutating func assign(_ object: Int, _ link: FleetLink, _ others: [Int]) {
    let before = list(link, of: object)
    objects[object]?.links[link] = others
    if let inverse = link.shape.inverse {
      for other in before where !others.contains(other) { leave(other, inverse, object) }
      for other in others where !before.contains(other) { join(other, inverse, object, from: link) }
    }
    updateOtherEnds(
      object,
      link,
      left: before.filter { !others.contains($0) },
      joined: others.filter { !before.contains($0) }
    )
    if standings[object] != .loose {
      for other in others { insert(other) }
    } else if others.contains(where: { standings[$0] != .loose }) {
      insert(object)
    }
  }

  /// Brings the other ends in step where several relationships name one inverse.
  private mutating func updateOtherEnds(
    _ object: Int,
    _ link: FleetLink,
    left: [Int],
    joined: [Int]
  ) {
    for other in left {
      for claim in link.shape.claims { leave(other, claim, object) }
    }
    guard let claimed = link.shape.claimed else { return }
    let claims = claimed.shape.claims
    for other in left where !claims.contains(where: { list($0, of: object).contains(other) }) {
      leave(other, claimed, object)
    }
    for other in joined where !list(claimed, of: other).contains(object) {
      let previous = claimed.shape.isToMany ? nil : list(claimed, of: other).first
      let kept = claimed.shape.isToMany ? list(claimed, of: other) : []
      objects[other]?.links[claimed] = kept + [object]
      if let previous { for claim in claims { leave(previous, claim, other) } }
    }
  }

  private mutating func leave(_ object: Int, _ link: FleetLink, _ other: Int) {
    objects[object]?.links[link]?.removeAll { $0 == other }
  }

  private mutating func join(
    _ object: Int,
    _ link: FleetLink,
    _ other: Int,
    from forward: FleetLink
  ) {
    if link.shape.isToMany {
      objects[object]?.links[link, default: []].append(other)
      return
    }
    if let previous = list(link, of: object).first { leave(previous, forward, object) }
    objects[object]?.links[link] = [other]
  }

  /// Puts an object into a relationship to many.
  mutating func add(_ object: Int, _ link: FleetLink, _ other: Int, before next: Int?) {
    var list = list(link, of: object)
    list.insert(other, at: next.flatMap(list.firstIndex) ?? list.endIndex)
    assign(object, link, list)
  }

  /// Takes an object out of a relationship to many.
  mutating func remove(_ object: Int, _ link: FleetLink, _ other: Int) {
    assign(object, link, list(link, of: object).filter { $0 != other })
  }

  /// Turns a relationship round.
  ///
  /// A list that is set confirms its members, which then have unsaved changes.
  mutating func reverse(_ object: Int, _ link: FleetLink) {
    let members = list(link, of: object)
    assign(object, link, members.reversed())
    touch(members, since: objects)
  }

  /// Marks an object for deletion; what follows from it follows when the context next looks.
  mutating func delete(_ object: Int) {
    guard marked.insert(object).inserted else { return }
    unruled.append(object)
  }

  /// Carries out the delete rules.
  mutating func process() {
    while !unruled.isEmpty {
      let objects = unruled
      unruled = []
      for object in objects { applyRules(object) }
    }
  }

  private mutating func applyRules(_ object: Int) {
    for link in objects[object]?.kind.links ?? [] {
      switch link.shape.rule {
      case .cascade:
        for other in list(link, of: object) { delete(other) }
      case .nullify:
        guard let inverse = link.shape.inverse else { continue }
        for other in list(link, of: object) where !marked.contains(other) {
          leave(other, inverse, object)
        }
      case .deny, .noAction: continue
      }
    }
  }
}

// Saves and their opposites.
extension Oracle {
  /// Why a save may fail.
  enum Failure: Hashable {
    case denied, missing, conflict
  }

  /// The reasons for which a save now must fail, one of which it gives.
  var failures: Set<Failure> {
    guard differs else { return [] }
    var result: Set<Failure> = []
    for object in marked where standings[object] == .stored {
      for link in objects[object]?.kind.links ?? [] where link.shape.rule == .deny {
        if !visible(link, of: object).isEmpty { result.insert(.denied) }
      }
    }
    for object in objects.keys where isInserted(object) {
      for link in objects[object]?.kind.links ?? [] where link.shape.isRequired {
        if visible(link, of: object).isEmpty { result.insert(.missing) }
      }
    }
    if !doubles.isEmpty { result.insert(.conflict) }
    return result
  }

  /// The objects in the context that share a unique value with another one.
  private var doubles: [Int] {
    var seen: [String: Int] = [:]
    var result: [Int] = []
    for object in objects.keys.sorted() where isInserted(object) {
      guard let field = objects[object]?.kind.uniqueField else { continue }
      let key = "\(field) \(value(field, of: object))"
      if seen.updateValue(object, forKey: key) != nil { result.append(object) }
    }
    return result
  }

  /// Whether a new object would share a unique value with another object.
  ///
  /// What becomes of these is not part of the model yet.
  func wouldMerge(_ object: Int, _ field: Field, _ value: Int) -> Bool {
    guard field.isUnique else { return false }
    return objects.keys.contains { other in
      other != object && isUsable(other) && objects[other]?.values[field] == value
        && (standings[other] != .stored || standings[object] != .stored)
    }
  }

  /// Stores what there is.
  mutating func save() {
    end(marked)
    for object in inserted where standings[object] == .new { standings[object] = .stored }
    inserted = []
    touched = []
    stored = objects.filter { standings[$0.key] == .stored }
  }

  /// Takes objects out of the world, and those out of any context that lead to them: their
  /// insertion would bring them back.
  private mutating func end(_ ended: Set<Int>) {
    var ended = ended
    var count = -1
    while ended.count != count {
      count = ended.count
      for (object, content) in objects where standings[object] == .loose {
        if content.links.values.contains(where: { !ended.isDisjoint(with: $0) }) {
          ended.insert(object)
        }
      }
    }
    for object in ended {
      objects[object] = nil
      standings[object] = nil
    }
    for object in objects.keys {
      guard let links = objects[object]?.links else { continue }
      objects[object]?.links = links.mapValues { $0.filter { !ended.contains($0) } }
    }
    marked = []
    unruled = []
  }

  /// Drops what was not saved; objects outside of the context stay as they are.
  mutating func rollback() {
    objects.merge(stored) { _, stored in stored }
    end(Set(standings.keys.filter { standings[$0] == .new }))
    inserted = []
    touched = []
  }

  /// Forgets the objects that are in no context.
  mutating func dropLoose() {
    end(Set(standings.keys.filter { standings[$0] == .loose }))
  }

  /// Goes to another context.
  mutating func go(to context: Int) { self.context = context }

  /// Notes which objects a step may have changed.
  mutating func touch(_ mentioned: [Int], since before: [Int: Object]) {
    touched.formUnion(mentioned)
    touched.formUnion(objects.keys.filter { objects[$0] != before[$0] })
  }

  /// Notes that there are no unsaved changes.
  mutating func clearTouched() { touched = [] }

  /// The oracle of somebody who sees what is stored.
  var onlyStored: Oracle {
    var result = self
    result.rollback()
    result.dropLoose()
    return result
  }

  /// Takes over what somebody else stored, nil where that concerns objects with unsaved changes.
  func absorbing(_ other: Oracle) -> Oracle? {
    let ended = Set(stored.keys).subtracting(other.stored.keys)
    let changed = Set(other.stored.keys.filter { other.stored[$0] != stored[$0] })
    guard ended.union(changed).isDisjoint(with: touched.union(marked)) else { return nil }
    let leads = objects.contains { object, content in
      !ended.contains(object) && !changed.contains(object)
        && content.links.values.contains { !ended.isDisjoint(with: $0) }
    }
    guard !leads else { return nil }
    var result = self
    result.stored = other.stored
    for object in changed { result.objects[object] = other.stored[object] }
    for object in ended {
      result.objects[object] = nil
      result.standings[object] = nil
    }
    return result
  }
}
