import Foundation
import StoreProtocol

extension StoreCore {
  /// What a save does to the history; the rows are still those of before.
  func historyStep(
    of plan: ChangePlan,
    _ changes: StoreChanges,
    _ state: inout StoreState
  ) throws -> HistoryStep {
    let number = plan.result.version
    guard history.content != .off else { return .cut(number) }
    let author = changes.editingState.author
    var groups = try plan.historyGroups(history.content, &state, self)
    var line = HistoryLine(HistoryRecord(number: number, author: author, groups: groups))
    if history.content == .values, !line.fitsDocument {
      // A value that is nested as deep as a document can have it has no place deeper still.
      for index in groups.indices { (groups[index].before, groups[index].after) = (nil, nil) }
      line = HistoryLine(HistoryRecord(number: number, author: author, groups: groups))
    }
    return .add(line)
  }

  /// The history as it is now.
  func currentHistory() throws -> History { try currentState().history }

  /// Forgets transactions.
  func deleteHistory(_ filter: StoreHistoryFilter?) throws {
    try withOpenStore { inner in
      let gone = inner.state.history.entries.filter { filter?.judges($0) ?? true }
      guard !gone.isEmpty else { return }
      let step = HistoryStep.forget(gone.map(\.number))
      var printer = JSONPrinter()
      printer.append(json: "{\"next\":")
      printer.append(inner.state.nextKey)
      printer.append(step)
      printer.append(UInt8(ascii: "}"))
      let record = printer.bytes
      try write({ record }, of: UUID(), &inner) { step.apply(to: &$0.history) }
      foldIfLarge(&inner)
    }
  }
}

extension JSONFileStore: HistoryKeeping {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try query.answer(over: core.currentHistory().entries).map {
      try $0.record(file: configuration.path).transaction(storeIdentifier: identifier)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try checkWriting()
    try core.deleteHistory(filter)
  }

  public func historyBounds() throws -> HistoryBounds {
    let history = try core.currentHistory()
    return HistoryBounds(cut: history.cut, last: history.lastSave)
  }
}
