import OpenSwiftData
import StoreTestSupport
import Testing

/// Changes a context at random, and goes back and forth between the states that it came through.
@MainActor
final class UndoWalk {
  /// What can be seen of the objects of a context, by their numbers.
  typealias State = [String]

  private let fixture: ContainerFixture
  private let seed: UInt64
  private var random: SeededGenerator
  private let context: ModelContext
  private let manager = UndoManager()
  private var clerks: [OfficeClerk] = []
  private var desks: [OfficeDesk] = []
  private var drawers: [OfficeDrawer] = []
  private var skills: [OfficeSkill] = []
  private var states: [State]
  private var position = 0
  private var log: [String] = []

  init(_ kind: EveryStore, seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    fixture = try ContainerFixture.office(kind)
    context = try fixture.context()
    context.undoManager = manager
    states = [[]]
  }

  /// Takes a number of steps, and looks at the state after each.
  func run(steps: Int) throws {
    for _ in 0..<steps {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9: change()
      case 9..<14: undo()
      case 14..<17: redo()
      case 17, 18: try save()
      default: try rollback()
      }
      let state = self.state()
      try #require(state == states[position], "seed \(seed): \(log.suffix(20))")
      try #require(manager.undoCount == position, "seed \(seed): \(log.suffix(20))")
      try #require(disagreements() == [], "seed \(seed): \(log.suffix(20))")
      try expectFetchesToAgree()
    }
    try save()
    try expectStoreToAgree()
  }

  private func change() {
    let count = manager.undoCount
    log.append("{")
    for _ in 0..<Int.random(in: 1...4, using: &random) { edit() }
    context.processPendingChanges()
    log.append("}")
    guard manager.undoCount > count else { return }
    states.removeSubrange((position + 1)...)
    states.append(state())
    position += 1
  }

  private func undo() {
    log.append("undo")
    manager.undo()
    position = max(0, position - 1)
  }

  private func redo() {
    log.append("redo")
    manager.redo()
    position = min(states.count - 1, position + 1)
  }

  private func save() throws {
    log.append("save")
    try context.save()
  }

  private func rollback() throws {
    log.append("rollback")
    context.rollback()
    states = [state()]
    position = 0
  }

  private func edit() {
    let present = clerks.filter(isPresent)
    guard let clerk = present.randomElement(using: &random), present.count > 2 else {
      return insert()
    }
    let other = present.randomElement(using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: insert()
    case 2: delete(clerk)
    case 3: set(clerk, "name") { clerk.name = "name \(Int.random(in: 0..<9, using: &random))" }
    case 4: set(clerk, "age") { clerk.age = [nil, 1, 2].randomElement(using: &random) ?? nil }
    case 5: set(clerk, "boss = \(other?.number ?? 0)") { if other != clerk { clerk.boss = other } }
    case 6: set(clerk, "boss = nil") { clerk.boss = nil }
    case 7: set(clerk, "reports shuffled") { clerk.reports.shuffle(using: &random) }
    case 8: set(clerk, "reports replaced") { replaceReports(of: clerk) }
    case 9: set(clerk, "skills") { replaceSkills(of: clerk) }
    case 10: setSkillFromItsEnd(clerk)
    case 11: set(clerk, "desk") { clerk.desk = anyDesk() }
    case 12: setOwner(clerk)
    default: addDrawer()
    }
  }

  private func set(_ clerk: OfficeClerk, _ what: String, _ body: () -> Void) {
    log.append("\(clerk.number).\(what)")
    body()
  }

  private func insert() {
    let clerk = OfficeClerk(clerks.count + 1)
    log.append("insert \(clerk.number)")
    clerks.append(clerk)
    if Bool.random(using: &random) { clerk.boss = clerks.filter(isPresent).first }
    context.insert(clerk)
  }

  private func delete(_ clerk: OfficeClerk) {
    log.append("delete \(clerk.number)")
    context.delete(clerk)
  }

  private func replaceReports(of clerk: OfficeClerk) {
    let others = clerks.filter { isPresent($0) && $0 != clerk }.shuffled(using: &random)
    clerk.reports = Array(others.prefix(Int.random(in: 0...3, using: &random)))
  }

  private func replaceSkills(of clerk: OfficeClerk) {
    if skills.filter(isPresent).count < 3 {
      skills.append(OfficeSkill(skills.count + 1))
      clerk.skills.insert(skills[skills.count - 1], at: 0)
    } else {
      let some = skills.filter(isPresent).shuffled(using: &random)
      clerk.skills = Array(some.prefix(Int.random(in: 0...3, using: &random)))
    }
  }

  private func setSkillFromItsEnd(_ clerk: OfficeClerk) {
    guard let skill = skills.filter(isPresent).randomElement(using: &random) else { return }
    log.append("skill \(skill.number) of \(clerk.number)")
    if let index = skill.clerks.firstIndex(of: clerk) {
      skill.clerks.remove(at: index)
    } else {
      skill.clerks.append(clerk)
    }
    if Int.random(in: 0..<5, using: &random) == 0 { context.delete(skill) }
  }

  private func anyDesk() -> OfficeDesk? {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return nil
    case 1: return desks.filter(isPresent).randomElement(using: &random)
    default:
      let desk = OfficeDesk(desks.count + 1)
      desks.append(desk)
      return desk
    }
  }

  private func setOwner(_ clerk: OfficeClerk) {
    guard let desk = desks.filter(isPresent).randomElement(using: &random) else { return }
    log.append("desk \(desk.number).owner = \(clerk.number)")
    desk.owner = clerk
  }

  private func addDrawer() {
    guard let desk = desks.filter(isPresent).randomElement(using: &random) else { return }
    log.append("drawer of desk \(desk.number)")
    let drawer = OfficeDrawer(drawers.count + 1)
    drawers.append(drawer)
    if Bool.random(using: &random) { drawer.desk = desk } else { desk.drawers = [drawer] }
  }

  private func isPresent(_ model: any PersistentModel) -> Bool {
    model.modelContext == context && !model.isDeleted
  }

  /// Everything that is in the context.
  private func state() -> State {
    var lines: State = clerks.filter(isPresent).map(Self.description)
    lines += desks.filter(isPresent).map(Self.description)
    for drawer in drawers where isPresent(drawer) {
      lines.append("drawer \(drawer.number) in \(drawer.desk?.number ?? 0)")
    }
    for skill in skills where isPresent(skill) {
      lines.append("skill \(skill.number) \(skill.word) of \(skill.clerks.map(\.number))")
    }
    return lines
  }

  private static func description(_ clerk: OfficeClerk) -> String {
    "clerk \(clerk.number) \(clerk.name) \(clerk.age ?? -1) under \(clerk.boss?.number ?? 0) "
      + "over \(clerk.reports.map(\.number)) at \(clerk.desk?.number ?? 0) "
      + "knows \(clerk.skills.map(\.number))"
  }

  private static func description(_ desk: OfficeDesk) -> String {
    "desk \(desk.number) of \(desk.owner?.number ?? 0) with \(desk.drawers.map(\.number))"
  }

  /// Relationships whose ends do not agree.
  private func disagreements() -> [String] {
    var found: [String] = []
    for clerk in clerks where isPresent(clerk) {
      for report in clerk.reports where report.boss != clerk { found.append("reports") }
      if let boss = clerk.boss, !boss.reports.contains(clerk) { found.append("boss") }
      if let desk = clerk.desk, desk.owner != clerk { found.append("desk") }
      for skill in clerk.skills where !skill.clerks.contains(clerk) { found.append("skills") }
    }
    for desk in desks where isPresent(desk) {
      if let owner = desk.owner, owner.desk != desk { found.append("owner") }
      for drawer in desk.drawers where drawer.desk != desk { found.append("drawers") }
    }
    for skill in skills where isPresent(skill) {
      for clerk in skill.clerks where !clerk.skills.contains(skill) { found.append("clerks") }
    }
    return found
  }

  private func expectFetchesToAgree() throws {
    let numbers = try context.fetch(FetchDescriptor<OfficeClerk>()).map(\.number).sorted()
    #expect(numbers == clerks.filter(isPresent).map(\.number))
    #expect(try context.fetchCount(FetchDescriptor<OfficeDesk>()) == desks.filter(isPresent).count)
  }

  /// Compares with what another context reads.
  private func expectStoreToAgree() throws {
    let fresh = ModelContext(context.container)
    let stored = try fresh.fetch(FetchDescriptor<OfficeClerk>(sortBy: [SortDescriptor(\.number)]))
    #expect(stored.map(Self.sorted) == clerks.filter(isPresent).map(Self.sorted))
    let drawers = try fresh.fetch(FetchDescriptor<OfficeDrawer>(sortBy: [SortDescriptor(\.number)]))
    #expect(
      drawers.map { [$0.number, $0.desk?.number ?? 0] }
        == self.drawers.filter(isPresent).map { [$0.number, $0.desk?.number ?? 0] }
    )
  }

  private static func sorted(_ clerk: OfficeClerk) -> String {
    "\(clerk.number) \(clerk.name) \(clerk.age ?? -1) \(clerk.boss?.number ?? 0) "
      + "\(clerk.reports.map(\.number).sorted()) \(clerk.desk?.number ?? 0) "
      + "\(clerk.skills.map(\.number).sorted())"
  }
}
