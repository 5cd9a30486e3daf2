import StoreProtocol

/// Rules about saves in which a step fails: all of a save is stored, or nothing.
enum FaultRules {
  static let all: [Rule] = [
    rule(
      "DURA-001",
      "A save with a failed step is stored completely or not at all.",
      .failure,
      save
    ),
    rule(
      "DURA-002",
      "A save in which the process ends is stored completely or not at all.",
      .crash,
      save
    ),
    rule(
      "DURA-003",
      "An erasure with a failed step is completed, or changes nothing.",
      .failure,
      erasure
    ),
    rule(
      "DURA-004",
      "An erasure in which the process ends is completed, or changes nothing.",
      .crash,
      erasure
    ),
    rule(
      "DURA-005",
      "DURA-001 also applies to the first save of a new store.",
      .failure,
      firstSave
    ),
    rule("DURA-006", "DURA-002 also applies to the first save of a new store.", .crash, firstSave),
    Rule(
      "DURA-007",
      "After a failed save, the open store returns the state before it, or throws.",
      needs: [.durability],
      hooks: [.faults],
      openStoreAfterFailure
    ),
    Rule(
      "DURA-008",
      "A save after a failed save is stored, or throws.",
      needs: [.durability],
      hooks: [.faults],
      nextSave
    ),
    Rule(
      "DURA-009",
      "`outcome(ofSave:)` returns the true outcome of an indeterminate save.",
      needs: [.durability],
      hooks: [.faults],
      since: 2,
      outcomes
    ),
    Rule(
      "HIST-014",
      "A save with a failed step is in the history exactly if its rows are stored.",
      needs: [.history, .durability],
      hooks: [.faults],
      interface: .transactions,
      since: 2,
      transactions
    ),
  ]

  /// An operation of a store, with the contents before and after.
  private struct Work: Sendable {
    var isPrepared = true
    let before: [String]
    let after: [String]
    let run: @Sendable (StoreBench) throws -> Void
  }

  private static let prepared = ["Ada 1 [Rex]", "Bob nil []", "Cid nil []", "Rex of Ada"]

  private static let save = Work(
    before: prepared,
    after: ["Ada 7 [Rex, new]", "Bob nil []", "Rex of Ada", "new of Ada"],
    run: change
  )

  private static let erasure = Work(before: prepared, after: []) { try $0.store.erase() }

  private static let firstSave = Work(
    isPrepared: false,
    before: [],
    after: ["Ada 1 [Rex]", "Rex of Ada"]
  ) { bench in
    let owner = try Sample.record("Person", ["name": .string("Ada"), "age": .integer(1)])
    let reference = StoreValue.identifier(owner.persistentIdentifier)
    let pet = try Sample.record("Dog", ["name": .string("Rex"), "owner": reference])
    try bench.save(inserting: [owner, pet])
  }

  private static func rule(
    _ id: String,
    _ sentence: String,
    _ fault: StoreFault,
    _ work: Work
  ) -> Rule {
    Rule(id, sentence, needs: [.durability], hooks: [.faults]) { bench in
      try atEachStep(bench) { bench, step in
        try check(work, bench, fault, step)
      }
    }
  }

  /// Runs a body on new locations, with one step after the other failing.
  ///
  /// The body returns whether the step was reached; the first step that is not ends the loop.
  static func atEachStep(
    _ bench: StoreBench,
    _ body: (StoreBench, Int) throws -> Bool
  ) throws {
    for step in 1...400 {
      let isReached = try bench.withNeighbour { neighbour in
        do {
          return try body(neighbour, step)
        } catch {
          throw RuleViolation.wrapping(error, as: "the store works").within("step \(step)")
        }
      }
      guard isReached else {
        return try expect("the steps of the store", step, >, 1, "one at least that can fail")
      }
    }
  }

  private static func check(
    _ work: Work,
    _ bench: StoreBench,
    _ fault: StoreFault,
    _ step: Int
  ) throws -> Bool {
    _ = try bench.store
    if work.isPrepared { try prepare(bench) }
    var failure: (any Error)?
    let isReached = bench.run(fault, at: step) {
      do { try work.run(bench) } catch { failure = error }
      // A crashed process does not close its store normally; the best that is possible is to
      // release it.
      if fault == .crash { try? bench.close() }
    }
    try bench.reopen()
    let found = try contents(bench)
    switch failure {
    case nil:
      try expect("the stored rows after a successful save", found, equals: work.after)
    case let error? where fault == .crash || isUncertain(error):
      try expect("the stored rows", [work.before, work.after].contains(found), "all or nothing")
    case let error?:
      try expect("the stored rows after \(error)", found, equals: work.before)
    }
    let next = try bench.insert("Person", ["name": .string("next")])
    try expect("a later row", bench.record(next)?["name"], equals: .string("next"))
    return isReached
  }

  private static func isUncertain(_ error: any Error) -> Bool {
    (error as? DataStoreError) == .outcomeUnknown
  }

  private static func prepare(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "Cid"])
    try bench.update(people[0], ["age": .integer(1)])
    try bench.insert("Dog", ["name": .string("Rex"), "owner": .identifier(people[0])])
  }

  /// Saves a change of each kind.
  @Sendable private static func change(_ bench: StoreBench) throws {
    let people = try bench.store.identifiers(StoreQuery(entity: "Person"))
    guard people.count == 3 else {
      throw RuleViolation("the rows", expected: "three people", found: "\(people)")
    }
    let pet = ["name": .string("new"), "owner": .identifier(people[0])] as [String: StoreValue]
    try bench.save(
      inserting: [Sample.record("Cat", pet)],
      updating: [Sample.update(people[0], ["age": .integer(7)])],
      deleting: [people[2]]
    )
  }

  /// Returns a description of all rows that the operations change.
  private static func contents(_ bench: StoreBench) throws -> [String] {
    let people = try bench.store.fetch(StoreQuery(entity: "Person"))
    let animals = try bench.store.fetch(StoreQuery(entity: "Animal"))
    func name(_ value: StoreValue?) -> String {
      guard case .string(let text) = value else { return "?" }
      return text
    }
    let names = Dictionary(
      lastOf: (people + animals).map { ($0.persistentIdentifier, name($0["name"])) }
    )
    let lines = try people.map { person in
      let pets = try bench.members("pets", of: person.persistentIdentifier)
      let words = pets.map { names[$0] ?? "nobody" }.joined(separator: ", ")
      var age = "nil"
      if case .integer(let number) = person["age"] { age = "\(number)" }
      return "\(name(person["name"])) \(age) [\(words)]"
    }
    return lines
      + animals.map { animal in
        var owner = "nobody"
        if case .identifier(let one) = animal["owner"] { owner = names[one] ?? "a lost one" }
        return "\(name(animal["name"])) of \(owner)"
      }
  }
}

extension FaultRules {
  private static func openStoreAfterFailure(_ bench: StoreBench) throws {
    try atEachStep(bench) { bench, step in
      try prepare(bench)
      var failure: (any Error)?
      let isReached = bench.run(.failure, at: step) {
        do { try change(bench) } catch { failure = error }
      }
      guard let failure else {
        try expect("the rows of the open store", contents(bench), equals: save.after)
        return isReached
      }
      guard let found = try? contents(bench) else { return isReached }
      if isUncertain(failure) {
        try expect(
          "the rows of the open store",
          [save.before, save.after].contains(found),
          "all or nothing"
        )
      } else {
        try expect("the rows of the open store after \(failure)", found, equals: save.before)
      }
      return isReached
    }
  }

  private static func nextSave(_ bench: StoreBench) throws {
    try atEachStep(bench) { bench, step in
      try prepare(bench)
      let isReached = bench.run(.failure, at: step) { try? change(bench) }
      let next = try? bench.insert("Passport", ["name": .string("next")])
      try bench.reopen()
      let found = try bench.store.identifiers(StoreQuery(entity: "Passport"))
      try expect("the rows of the next save", found, equals: next.map { [$0] } ?? [])
      let contents = try contents(bench)
      try expect("the stored rows", [save.before, save.after].contains(contents), "all or nothing")
      return isReached
    }
  }

  /// Tests the outcome that a store reports for an indeterminate save.
  ///
  /// A store need not report one, but a reported outcome must be true and must not change.
  private static func outcomes(_ bench: StoreBench) throws {
    try atEachStep(bench) { bench, step in
      let row = try bench.insert("Person", ["name": .string("before")])
      let changes = StoreChanges(
        updated: [try Sample.update(row, ["name": .string("after")])]
      )
      var failure: (any Error)?
      let isReached = bench.run(.failure, at: step) {
        do { _ = try bench.store.apply(changes) } catch { failure = error }
      }
      guard let failure, isUncertain(failure) else { return isReached }
      var reported: Bool?
      do {
        switch try bench.store.outcome(ofSave: changes.saveIdentifier) {
        case .saved: reported = true
        case .notSaved: reported = false
        }
      } catch let error as DataStoreError
        where [.outcomeUnknown, .unsupportedFeature].contains(error)
      {
        reported = nil
      }
      try bench.reopen()
      let isStored = try bench.value("name", of: row) == .string("after")
      if let reported { try expect("whether the save is stored", isStored, equals: reported) }
      return isReached
    }
  }

  private static func transactions(_ bench: StoreBench) throws {
    try atEachStep(bench) { bench, step in
      let row = try bench.insert("Person", ["name": .string("before")])
      let countBefore = try HistoryRules.history(bench).count
      let isReached = bench.run(.failure, at: step) {
        try? bench.update(row, ["name": .string("after")])
      }
      try bench.reopen()
      let isStored = try bench.value("name", of: row) == .string("after")
      try expect(
        "the transactions after a save with a failed step",
        HistoryRules.history(bench).count,
        equals: isStored ? countBefore + 1 : countBefore
      )
      return isReached
    }
  }
}
