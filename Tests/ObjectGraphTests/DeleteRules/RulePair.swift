import OpenSwiftData
import StoreTestSupport
import Testing

/// A relationship as a list, whatever its shape.
enum EndPath<Root, Value> {
  case one(ReferenceWritableKeyPath<Root, Value?>)
  case many(ReferenceWritableKeyPath<Root, [Value]>)

  func objects(of root: Root) -> [Value] {
    switch self {
    case .one(let path): root[keyPath: path].map { [$0] } ?? []
    case .many(let path): root[keyPath: path]
    }
  }

  func add(_ value: Value, to root: Root) {
    switch self {
    case .one(let path): root[keyPath: path] = value
    case .many(let path): root[keyPath: path].append(value)
    }
  }
}

/// What the objects at the other end are when an object is deleted.
enum OtherEnds: CaseIterable {
  case loaded, notLoaded, unsaved
  /// They are not loaded, and neither is the deleted object: it is found by a predicate.
  case inBulk
}

/// Two delete rules that meet: the left end's and the right end's.
struct RulePair: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Relates objects by a list such as `l1-r1 l1-r2`, deletes one of them, and tells what is left,
  /// in memory and stored.
  let outcome: @Sendable (EveryStore, _ links: String, _ victim: String, OtherEnds) throws -> String

  init<Left: PersistentModel, Right: PersistentModel>(
    _ name: String,
    _ makeLeft: @escaping @Sendable (String) -> Left,
    _ makeRight: @escaping @Sendable (String) -> Right,
    _ rights: @escaping @autoclosure @Sendable () -> EndPath<Left, Right>,
    _ lefts: @escaping @autoclosure @Sendable () -> EndPath<Right, Left>
  ) where Left: Named, Right: Named {
    testDescription = name
    outcome = { store, links, victim, ends in
      let fixture = try ContainerFixture(store, for: Left.self, Right.self)
      let run = RuleRun(
        container: try fixture.open(),
        makeLeft: makeLeft,
        makeRight: makeRight,
        rights: rights(),
        lefts: lefts()
      )
      return try run.outcome(links, victim, ends)
    }
  }
}

/// A model with a name.
protocol Named: PersistentModel {
  var name: String { get }
}

/// One deletion.
private struct RuleRun<Left: Named, Right: Named> {
  let container: ModelContainer
  let makeLeft: (String) -> Left
  let makeRight: (String) -> Right
  let rights: EndPath<Left, Right>
  let lefts: EndPath<Right, Left>

  func outcome(_ links: String, _ victim: String, _ ends: OtherEnds) throws -> String {
    var context = ModelContext(container)
    let pairs = links.split(separator: " ").map { $0.split(separator: "-").map(String.init) }
    var (left, right): ([String: Left], [String: Right]) = ([:], [:])
    for pair in pairs {
      left[pair[0]] = left[pair[0]] ?? makeLeft(pair[0])
      right[pair[1]] = right[pair[1]] ?? makeRight(pair[1])
    }
    func relate() {
      for pair in pairs {
        if let one = left[pair[0]], let other = right[pair[1]] { rights.add(other, to: one) }
      }
    }
    func insertAll() {
      for name in left.keys.sorted() { left[name].map(context.insert) }
      for name in right.keys.sorted() { right[name].map(context.insert) }
    }
    if ends == .unsaved {
      left[victim].map(context.insert)
      right[victim].map(context.insert)
      try context.save()
      relate()
      insertAll()
    } else {
      relate()
      insertAll()
      try context.save()
    }
    if ends == .inBulk {
      let (one, other) = (left[victim]?.persistentModelID, right[victim]?.persistentModelID)
      let fresh = ModelContext(container)
      if let one {
        try fresh.delete(model: Left.self, where: #Predicate { $0.persistentModelID == one })
      }
      if let other {
        try fresh.delete(model: Right.self, where: #Predicate { $0.persistentModelID == other })
      }
      return try saved(fresh, ends)
    }
    if ends == .notLoaded {
      context = ModelContext(container)
      (left, right) = ([:], [:])
      for model in try context.all(Left.self) where model.name == victim { left[victim] = model }
      for model in try context.all(Right.self) where model.name == victim { right[victim] = model }
    }
    left[victim].map(context.delete)
    right[victim].map(context.delete)
    return try saved(context, ends)
  }

  private func saved(_ context: ModelContext, _ ends: OtherEnds) throws -> String {
    let before = try state(of: ModelContext(container))
    do {
      try context.save()
    } catch let error as DataStoreError where error == .deletionDenied {
      #expect(try state(of: ModelContext(container)) == before, "nothing is deleted")
      context.rollback()
      #expect(try state(of: context) == before, "a rollback brings everything back")
      return "denied"
    }
    let stored = try state(of: ModelContext(container))
    try StoredReferences.check(container)
    #expect(try state(of: context) == stored, "memory and store agree")
    return stored
  }

  /// All objects with those that they are related to.
  private func state(of context: ModelContext) throws -> String {
    let left = try context.all(Left.self).map { model in
      (model.name, rights.objects(of: model).map(\.name))
    }
    let right = try context.all(Right.self).map { model in
      (model.name, lefts.objects(of: model).map(\.name))
    }
    return (left + right).sorted { $0.0 < $1.0 }
      .map { "\($0.0)(\($0.1.sorted().joined(separator: ",")))" }.joined(separator: " ")
  }
}

extension OneLeftCascade: Named {}
extension OneLeftNullify: Named {}
extension OneLeftDeny: Named {}
extension OneLeftNoAction: Named {}
extension OneRightCascade: Named {}
extension OneRightNullify: Named {}
extension OneRightDeny: Named {}
extension OneRightNoAction: Named {}
extension MixedLeftCascade: Named {}
extension MixedLeftNullify: Named {}
extension MixedLeftDeny: Named {}
extension MixedLeftNoAction: Named {}
extension MixedRightCascade: Named {}
extension MixedRightNullify: Named {}
extension MixedRightDeny: Named {}
extension MixedRightNoAction: Named {}
extension ManyLeftCascade: Named {}
extension ManyLeftNullify: Named {}
extension ManyLeftDeny: Named {}
extension ManyLeftNoAction: Named {}
extension ManyRightCascade: Named {}
extension ManyRightNullify: Named {}
extension ManyRightDeny: Named {}
extension ManyRightNoAction: Named {}
