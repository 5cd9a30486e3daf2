import Foundation
import StoreHelpers
import StoreProtocol

extension StoreCore {
  func currentHistory() throws -> History { try currentState().history }

  /// Deletes transactions.
  func deleteHistory(_ filter: StoreHistoryFilter?) throws {
    try transaction { inner in
      let gone = inner.state.history.entries.filter { filter?.matches($0) ?? true }
      guard !gone.isEmpty else { return }
      try write(.forget(gone.map(\.number)), &inner)
    }
  }

  /// Sets or removes the position of a reader.
  func moveReader(_ step: HistoryStep) throws {
    try transaction { inner in try write(step, &inner) }
  }

  private func write(_ step: HistoryStep, _ inner: inout Inner) throws {
    var printer = JSONPrinter()
    printer.append(json: "{\"next\":")
    printer.append(inner.state.nextKey)
    printer.append(step)
    printer.append(UInt8(ascii: "}"))
    let record = printer.bytes
    try write({ record }, of: UUID(), &inner) { step.apply(to: &$0.history) }
  }
}

extension JSONFileStore: HistoryKeeping {
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try core.currentHistory().entries(query).map {
      try $0.record(file: configuration.path).transaction(storeIdentifier: identifier)
    }
  }

  public func deleteTransactions(_ filter: StoreHistoryFilter?) throws {
    try writableCore.deleteHistory(filter)
  }

  public func historyBounds() throws -> HistoryBounds {
    let history = try core.currentHistory()
    return history.bounds(last: history.lastSave, in: identifier)
  }

  public func historyReaders() throws -> [HistoryReaderPosition] {
    try core.currentHistory().sortedReaders
  }

  public func setHistoryReader(_ position: HistoryReaderPosition) throws {
    try writableCore.moveReader(.move([position]))
  }

  public func removeHistoryReader(_ name: String) throws {
    try writableCore.moveReader(.part(name))
  }

  public func saveIdentifier(at number: Int64) throws -> UUID? {
    try core.currentHistory().saveIdentifier(at: number, in: identifier)
  }
}
