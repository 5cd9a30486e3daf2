import StoreProtocol

/// What a save does to the history.
enum HistoryStep {
  /// It adds a transaction.
  case add(HistoryLine)
  /// It is not remembered, so that everything up to its number is forgotten.
  case cut(Int64)
  /// It forgets transactions of these numbers.
  case forget([Int64])

  /// Does it to the history in memory.
  func apply(to history: inout History) {
    switch self {
    case .add(let line): history.append(line)
    case .cut(let save): history.cutAll(at: save)
    case .forget(let numbers): history.delete(.numbers(Set(numbers)))
    }
  }
}

extension JSONPrinter {
  /// Appends the member of a journal's record that says it.
  mutating func append(_ step: HistoryStep) {
    switch step {
    case .add(let line):
      append(json: ",\"history\":")
      append(json: line.text)
    case .cut(let save):
      append(json: ",\"cut\":")
      append(save)
    case .forget(let numbers):
      append(json: ",\"forget\":")
      append(.value(KeyRanges(numbers).storeValue), as: .codable)
    }
  }
}
