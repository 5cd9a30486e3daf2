import OpenSwiftData
import StoreTestSupport
import Testing

/// One run of steps on one store, beside the oracle.
struct Trial {
  private let store: EveryStore

  init(_ store: EveryStore) {
    self.store = store
  }

  /// Fails the test where the program does not do what the oracle expects.
  func expectNoDifference(
    _ steps: [Step],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let difference = difference(steps) else { return }
    Issue.record("\(difference.description)", sourceLocation: sourceLocation)
  }

  /// The first difference in a run of steps.
  func difference(_ steps: [Step]) -> Difference? {
    var position = 0
    do {
      var run = TrialRun(program: try Program(store))
      for (index, step) in steps.enumerated() {
        position = index
        try run.perform(step)
      }
      position = steps.count
      try run.finish()
      return nil
    } catch {
      let step = steps.indices.contains(position) ? steps[position].source : "the end"
      return Difference("at \(step) (\(position)): \(error)")
    }
  }
}

/// A run as far as it has come.
struct TrialRun {
  private let program: Program
  private var oracle = Oracle()

  init(program: Program) {
    self.program = program
  }

  /// Carries out a step on both sides and compares what it is about.
  mutating func perform(_ step: Step) throws {
    guard oracle.accepts(step) else { return }
    switch step {
    case .save: try save()
    case .rollback: try rollback()
    case .refetch:
      oracle.apply(step)
      try compareFetches()
    case .ask(let question):
      oracle.apply(step)
      try compare(question)
    case .look: try compareAll()
    case .read(let object): try compare(object)
    case .evict: program.evict()
    case .context(let number):
      apply(step)
      try program.go(to: number)
      try compareFetches()
    case .elsewhere(let inner):
      try program.withFreshContext { other in
        try other.edit(inner)
        try other.context.save()
      }
      apply(step)
      try compareFetches()
    case .reopen:
      oracle.apply(step)
      try program.reopen()
      try compareFetches()
    default:
      try program.edit(step)
      oracle.apply(step)
      program.adopt(oracle.inserted)
    }
  }

  private mutating func apply(_ step: Step) {
    let before = oracle.objects
    oracle.apply(step)
    for object in before.keys where oracle.objects[object] == nil { program.end(object) }
  }

  /// Saves and compares everything.
  mutating func finish() throws {
    try compareAll()
    try save()
    try compareAll()
    oracle.apply(.reopen)
    try program.reopen()
    try compareFetches()
    try compareAll()
  }
}

// Saves.
extension TrialRun {
  private mutating func save() throws {
    let before = oracle.objects
    var expected = oracle
    expected.process()
    let failures = expected.failures
    do {
      try program.context.save()
    } catch {
      oracle.apply(.save)
      guard let failure = Oracle.Failure(error), failures.contains(failure) else { throw error }
      return
    }
    guard failures.isEmpty else { throw Difference("saved, in spite of \(failures)") }
    oracle.apply(.save)
    if program.context.hasChanges { throw Difference("there are changes after a save") }
    try program.settle(
      Array(oracle.stored.keys),
      ended: before.keys.filter { oracle.objects[$0] == nil }
    )
    let stored = oracle.onlyStored
    try program.withFreshContext { program in
      let run = TrialRun(program: program, oracle: stored)
      try run.compareFetches()
      try run.compareAll()
    }
  }

  private init(program: Program, oracle: Oracle) {
    self.program = program
    self.oracle = oracle
  }

  private mutating func rollback() throws {
    program.context.rollback()
    if program.context.hasChanges { throw Difference("there are changes after a rollback") }
    apply(.rollback)
  }
}

// Comparisons.
extension TrialRun {
  private func compareFetches() throws {
    for kind in Kind.allCases {
      try expect(program.fetch(kind), program.ordered(oracle.all(kind)), "all of \(kind)")
    }
  }

  private func compare(_ question: Question) throws {
    let results = try question.results(in: program.context)
    let candidates = try program.ordered(oracle.all(question.kind))
    let expected = question.result(among: candidates, in: oracle)
    try expect(results.models.map(program.number(of:)), expected, question.source)
    try expect(results.count, expected.count, "the count of \(question.source)")
    try expect(
      results.identifiers,
      expected.map(program.identifier),
      "the identifiers of \(question.source)"
    )
  }

  private func compareAll() throws {
    for object in oracle.objects.keys.sorted() where oracle.isUsable(object) { try compare(object) }
    program.readEnded()
  }

  private func compare(_ object: Int) throws {
    let model = try program.model(object)
    let kind = oracle.objects[object]?.kind
    if model.isDeleted { throw Difference("object \(object) is deleted") }
    let isInserted = oracle.isInserted(object)
    if (model.modelContext === program.context) != isInserted {
      throw Difference("object \(object) is\(isInserted ? " not" : "") in the context")
    }
    for field in kind?.fields ?? [] {
      try expect(
        field.text(of: model),
        field.text(oracle.value(field, of: object)),
        "\(field) of \(object)"
      )
    }
    for link in kind?.links ?? [] {
      try expect(
        program.list(link, of: model),
        oracle.visible(link, of: object),
        "\(link) of \(object)"
      )
    }
  }

  private func expect<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    _ what: String
  ) throws {
    guard found != expected else { return }
    throw Difference("\(what): \(found) instead of \(expected)")
  }
}

extension Oracle.Failure {
  /// The reason that an error stands for.
  fileprivate init?(_ error: any Error) {
    switch error {
    case DataStoreError.deletionDenied: self = .denied
    case DataStoreError.uniqueConflict: self = .conflict
    case SwiftDataError.modelValidationFailure: self = .missing
    default: return nil
    }
  }
}
