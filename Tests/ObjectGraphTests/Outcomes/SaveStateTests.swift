import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Model
final class Waybill {
  @Attribute(.unique) var code: String
  var weight: Int

  init(_ code: String, weight: Int = 1) {
    self.code = code
    self.weight = weight
  }
}

/// A context with a new, a changed and a deleted object, and a store that fails as planned.
private final class WaybillFixture {
  static let unsaved = [["new 1"], ["kept 2"], ["gone 1"]]
  let plan = FaultPlan()
  let container: ModelContainer
  let here: ModelContext
  let kept = Waybill("kept")
  private let gone = Waybill("gone")
  private let announcements = Announcements()
  private var token: (any NSObjectProtocol)?

  init(_ policy: MergePolicy = .mergeByProperty) throws {
    container = try ModelContainer(
      for: Waybill.self,
      configurations: MemoryStoreConfiguration().faulty(plan)
    )
    here = ModelContext(container)
    here.mergePolicy = policy
    here.autosaveEnabled = false
    here.insert(kept)
    here.insert(gone)
    try here.save()
    token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: here,
      queue: nil
    ) { [announcements] in announcements.note($0) }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  func change() {
    here.insert(Waybill("new"))
    kept.weight = 2
    here.delete(gone)
  }

  /// Saves another weight of the kept object in another context.
  func changeThere() throws {
    let there = ModelContext(container)
    for waybill in try there.all(Waybill.self) where waybill.code == "kept" { waybill.weight = 7 }
    try there.save()
  }

  /// The new, the changed and the deleted objects.
  var unsaved: [[String]] {
    [here.insertedModelsArray, here.changedModelsArray, here.deletedModelsArray].map { models in
      models.compactMap { $0 as? Waybill }.map(\.contents)
    }
  }

  /// The numbers of inserted, updated and deleted rows of each save that was announced.
  var announced: [[Int]] { announcements.counts.withLock { $0 } }

  func stored() throws -> [String] {
    try ModelContext(container).all(Waybill.self).map(\.contents).sorted()
  }
}

extension Waybill {
  fileprivate var contents: String { "\(code) \(weight)" }
}

private final class Announcements: Sendable {
  let counts = Mutex<[[Int]]>([])

  func note(_ notification: Notification) {
    let keys: [ModelContext.NotificationKey] = [
      .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
    ]
    let lists = keys.map { notification.userInfo?[$0.rawValue] as? [PersistentIdentifier] }
    counts.withLock { $0.append(lists.map { $0?.count ?? -1 }) }
  }
}

private struct Refusal: Error {}

/// One test for each state of a save in which something may throw.
@Suite("An error in a save")
struct SaveStateTests {
  @Test func `that is planned leaves all changes pending`() throws {
    let fixture = try WaybillFixture()
    fixture.change()
    fixture.plan.fail(.save)
    #expect(throws: DataStoreError.notSaved) { try fixture.here.save() }
    #expect(fixture.unsaved == WaybillFixture.unsaved)
    #expect(fixture.announced == [])
    try fixture.here.save()
    #expect(fixture.unsaved == [[], [], []])
    #expect(fixture.announced == [[1, 1, 1]])
    #expect(try fixture.stored() == ["kept 2", "new 1"])
  }

  @Test func `that is conflicted leaves all changes pending if the policy throws`() throws {
    let fixture = try WaybillFixture(.resolve { _ in throw Refusal() })
    fixture.change()
    try fixture.changeThere()
    #expect(throws: Refusal.self) { try fixture.here.save() }
    #expect(fixture.unsaved == WaybillFixture.unsaved)
    #expect(fixture.announced == [])
    #expect(try fixture.stored() == ["gone 1", "kept 7"])
    fixture.here.mergePolicy = .contextWins
    try fixture.here.save()
    #expect(fixture.announced == [[1, 1, 1]])
    #expect(try fixture.stored() == ["kept 2", "new 1"])
  }

  @Test func `that is conflicted leaves all changes pending if rows cannot be read`() throws {
    let fixture = try WaybillFixture(.error)
    fixture.change()
    try fixture.changeThere()
    fixture.plan.fail(.read, with: DataStoreError.storeBusy)
    #expect(throws: DataStoreError.storeBusy) { try fixture.here.save() }
    #expect(fixture.unsaved == WaybillFixture.unsaved)
    let error = try #require(throws: DataStoreError.self) { try fixture.here.save() }
    #expect(error.mergeConflicts.map(\.identifier) == [fixture.kept.persistentModelID])
    #expect(fixture.unsaved == WaybillFixture.unsaved)
    #expect(fixture.announced == [])
  }

  @Test(arguments: UnknownOutcomes.Fate.allCases)
  func `that is indeterminate leaves all changes pending until the store can tell`(
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try WaybillFixture()
    fixture.change()
    let moment: FaultPlan.Moment = fate == .saved ? .after : .before
    fixture.plan.fail(.save, moment, with: DataStoreError.outcomeUnknown)
    fixture.plan.fail(.outcome, times: 2, with: DataStoreError.outcomeUnknown)
    for _ in 0..<2 {
      #expect(throws: DataStoreError.outcomeUnknown) { try fixture.here.save() }
      #expect(fixture.unsaved == WaybillFixture.unsaved)
      #expect(fixture.announced == [])
    }
    try fixture.here.save()
    #expect(fixture.unsaved == [[], [], []])
    #expect(fixture.announced == [[1, 1, 1]])
    #expect(try fixture.stored() == ["kept 2", "new 1"])
  }

  @Test func `that is adopted is one of the next save`() throws {
    let fixture = try WaybillFixture()
    fixture.here.insert(Waybill("kept", weight: 9))
    fixture.plan.fail(.read, with: DataStoreError.storeBusy)
    try fixture.here.save()
    #expect(fixture.plan.remaining == 0)
    #expect(fixture.announced == [[0, 1, 0]])
    #expect(throws: SwiftDataError.modelValidationFailure) { try fixture.here.save() }
    try fixture.here.save()
    #expect(fixture.announced == [[0, 1, 0]])
    let found = try fixture.here.all(Waybill.self)
    #expect(found.contains { $0 === fixture.kept } && fixture.kept.weight == 9)
  }
}
