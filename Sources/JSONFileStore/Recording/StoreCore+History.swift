import Foundation
import StoreHelpers
import StoreProtocol

extension StoreCore {
  /// Returns the effects of a save on the history; the rows are still unchanged.
  func historySteps(
    of plan: ChangePlan,
    _ changes: StoreChanges,
    _ state: inout StoreState
  ) throws -> [HistoryStep] {
    let moves = changes.readers.isEmpty ? [] : [HistoryStep.move(changes.readers)]
    if plan.isEmpty { return moves }
    let number = plan.result.version
    let content = configuration.history.content
    if content == .off { return [.cut(number, save: changes.saveIdentifier)] + moves }
    var record = HistoryRecord(
      number: number,
      save: changes.saveIdentifier,
      author: changes.editingState.author,
      origin: changes.origin,
      groups: try plan.historyGroups(content, changes.consequences, &state, self)
    )
    // A save that only raises the next key changes no row.
    if record.groups.isEmpty { return moves }
    var line = HistoryLine(record)
    if content == .values, !line.fitsDocument {
      // A value that is nested to the limit of a document cannot be nested deeper.
      for index in record.groups.indices {
        (record.groups[index].before, record.groups[index].after) = (nil, nil)
      }
      line = HistoryLine(record)
    }
    return [.add(line)] + moves
  }

  func currentHistory() throws -> History { try currentState().history }

  /// Deletes transactions.
  func deleteHistory(_ filter: StoreHistoryFilter?) throws {
    try withOpenStore { inner in
      let gone = inner.state.history.entries.filter { filter?.matches($0) ?? true }
      guard !gone.isEmpty else { return }
      try write(.forget(gone.map(\.number)), &inner)
    }
  }

  /// Sets or removes the position of a reader.
  func moveReader(_ step: HistoryStep) throws {
    try withOpenStore { inner in try write(step, &inner) }
  }

  private func write(_ step: HistoryStep, _ inner: inout Inner) throws {
    var printer = JSONPrinter()
    printer.append(json: "{\"next\":")
    printer.append(inner.state.nextKey)
    printer.append(step)
    printer.append(UInt8(ascii: "}"))
    let record = printer.bytes
    try write({ record }, of: UUID(), &inner) { step.apply(to: &$0.history) }
    checkpointIfLarge(&inner)
  }
}

extension JSONFileStore: HistoryKeeping {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try core.currentHistory().entries(query).map {
      try $0.record(file: configuration.path).transaction(storeIdentifier: identifier)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try checkWriting()
    try core.deleteHistory(filter)
  }

  public func historyBounds() throws -> HistoryBounds {
    let history = try core.currentHistory()
    return history.bounds(last: history.lastSave, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try core.currentHistory().sortedReaders
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try checkWriting()
    try core.moveReader(.move([position]))
  }

  public func removeHistoryReader(_ name: String) throws {
    try checkWriting()
    try core.moveReader(.part(name))
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try core.currentHistory().saveIdentifier(at: number, in: identifier)
  }
}
