import ModelRuntime
import StoreProtocol

/// Changed objects of one entity, in runs with changes of the same properties.
struct ObjectUpdates {
  /// The runs.
  private(set) var runs: [RowRun] = []
  private let run: EntityRun
  private var start: Int
  private var numbers: [Int64] = []
  private var others: [Int: PersistentIdentifier] = [:]
  private var dirty: UInt64?
  private var plain: [Int] = []
  private var known: [[StoreUpdate.Change]] = []

  /// Creates the runs of changed objects.
  ///
  /// - Parameters:
  ///   - run: The objects.
  ///   - mayReorder: Whether relationships of objects change that are not marked.
  ///   - changes: Returns the changes of an object of which more than basic attributes changed, without
  ///     these attributes.
  /// - Throws: The errors of `changes`.
  init(
    _ run: EntityRun,
    reordering mayReorder: Bool,
    _ changes: (any PersistentModel) throws -> [StoreUpdate.Change]
  ) throws {
    self.run = run
    start = run.models.startIndex
    numbers.reserveCapacity(run.models.count)
    let registration = run.registration
    for index in run.models.indices {
      let model = run.models[index]
      let mark = run.marks?[index] ?? Self.mark(of: model._$state)
      // The bit of the last property may represent several.
      let isBasic = !mayReorder && mark.dirty & ~registration.plainBits == 0
      if !isBasic || mark.dirty != dirty {
        let plain = model.dirtyIndices.filter {
          registration.isPlain[$0] && mark.dirty & _ModelState.bit($0) != 0
        }
        let others = isBasic ? [] : try changes(model)
        if !numbers.isEmpty, !fits(plain, others) { end(at: index) }
        guard !plain.isEmpty || !others.isEmpty else {
          start = index + 1
          continue
        }
        self.plain = plain
        if !others.isEmpty { known.append(others) }
        dirty = isBasic ? mark.dirty : nil
      }
      if mark.key == .min { others[numbers.count] = model.persistentModelID }
      numbers.append(mark.key)
    }
    end(at: run.models.endIndex)
  }

  /// Whether changes are of the same properties as those of the current run.
  private func fits(_ plain: [Int], _ others: [StoreUpdate.Change]) -> Bool {
    guard plain == self.plain, others.isEmpty == known.isEmpty else {
      return false
    }
    return known.first.map { $0.map(\.index) == others.map(\.index) } ?? true
  }

  private mutating func end(at index: Int) {
    defer {
      start = index
      (numbers, others, dirty, plain, known) = ([], [:], nil, [], [])
    }
    guard !numbers.isEmpty else { return }
    let registration = run.registration
    runs.append(
      RowRun(
        RowIdentifiers(numbers, areTemporary: false, in: registration.scope, others: others),
        changing: (plain + (known.first ?? []).map(\.index)).sorted(),
        of: registration.entity,
        in: registration.store.identifier,
        from: ObjectRowProducer(updating: run.models[start..<index], plain, known)
      )
    )
  }

  /// Returns the key and the changes of an object, with one access of its state.
  @inline(__always)
  private static func mark(of state: borrowing _ModelState) -> EntityRun.Mark {
    EntityRun.Mark(key: state.key, dirty: state.dirty)
  }
}
