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
