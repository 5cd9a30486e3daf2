import Foundation
import ModelRuntime
import StoreProtocol

/// Objects of one entity, from which a store reads values while it writes.
///
/// Encoding a value runs code of the program, which must not run while a store writes. Such values are
/// therefore encoded before. A class, since a copy would count a reference to each thing in it.
// Unchecked: stores read the objects only while the context waits for them.
final class ObjectRowProducer: RowProducer, @unchecked Sendable {
  private let models: ArraySlice<any PersistentModel>
  /// The attributes that are read when the store asks.
  private let plain: [Int]
  /// The relationships that are read when the store asks.
  private let relationships: [Int]
  private let forwarder: RelationshipForwarder?
  /// The values that are known already, by the position of the object; empty if there are none.
  private let known: [[StoreUpdate.Change]]

  /// Creates a producer of new rows, which need the order of keys for relationships and encoded values.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if a value cannot be encoded.
  init(inserting run: EntityRun, _ keys: @autoclosure () -> KeyOrder) throws {
    let registration = run.registration
    models = run.models
    plain = registration.plainIndices
    relationships = registration.relationshipIndices
    forwarder = relationships.isEmpty ? nil : RelationshipForwarder(registration, keys())
    let coded = registration.codedIndices
    let writer = coded.isEmpty ? nil : ValuesWriter(registration, keys: keys())
    known =
      try writer.map { writer in
        try run.models.map { model in
          try coded.map { StoreUpdate.Change($0, try writer.value(of: $0, in: model)) }
        }
      } ?? []
    guard !relationships.isEmpty else { return }
    for model in models where model._$state.flags.contains(.hasPendingMembers) {
      for index in relationships { model.mergePendingMembers(index) }
    }
  }

  /// Creates a producer of changed rows.
  ///
  /// - Parameters:
  ///   - models: The objects.
  ///   - plain: The changed attributes that are read when the store asks.
  ///   - known: The other changes of each object, or an empty list if there are none.
  init(
    updating models: ArraySlice<any PersistentModel>,
    _ plain: [Int],
    _ known: [[StoreUpdate.Change]]
  ) {
    self.models = models
    self.plain = plain
    self.known = known
    relationships = []
    forwarder = nil
  }

  func write(_ position: Int, to writer: RowWriter) {
    let model = models[models.startIndex + position]
    for index in plain { model._$write(index, to: writer) }
    forwarder?.write(relationships, of: model, to: writer)
    if !known.isEmpty {
      for change in known[position] { writer.write(change.value, at: change.index) }
    }
  }
}

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

/// Passes relationships of new objects on to a store, without objects that no row can refer to.
private final class RelationshipForwarder: RowWriter {
  private let registration: EntityRegistration
  private let keys: KeyOrder
  private let nothing = RowWriter()
  private var writer: RowWriter

  init(_ registration: EntityRegistration, _ keys: KeyOrder) {
    self.registration = registration
    self.keys = keys
    writer = nothing
  }

  /// Writes relationships of an object.
  ///
  /// The writer may hold the producer, so that it is not held after the row.
  func write(_ indices: [Int], of model: any PersistentModel, to writer: RowWriter) {
    self.writer = writer
    for index in indices { model._$write(index, to: self) }
    self.writer = nothing
  }

  /// Whether a row can refer to an object: it has or gets a row, and has none in another store.
  private func canRefer(to model: any PersistentModel) -> Bool {
    guard keys.canRefer(to: model) else { return false }
    // A store refuses new objects of another one.
    guard !model._$state.flags.contains(.inserted), let other = model.registration else {
      return true
    }
    return other.store === registration.store
  }

  override func write(_ model: (any PersistentModel)?, key: Int64, at index: Int) {
    if let model, !canRefer(to: model) { return writer.write(.null, at: index) }
    writer.write(model, key: key, at: index)
  }

  override func write(_ models: [any PersistentModel]?, at index: Int) {
    guard let models else { return writer.write(.null, at: index) }
    let present = models.allSatisfy(canRefer) ? models : models.filter(canRefer)
    // Stores that do not support derived relationships need the list in any case.
    if registration.derivesMembers, !registration.facts.isListed[index], keys.isNatural(present) {
      return writer.write(.null, at: index)
    }
    writer.write(present, at: index)
  }
}
