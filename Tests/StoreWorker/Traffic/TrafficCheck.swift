import Foundation
import OpenSwiftData

/// Reads everything once the traffic has ended, and prints it for who judges the histories.
struct TrafficCheck {
  private let session: TrafficSession

  init(_ options: TrafficOptions) throws {
    session = try TrafficSession(options)
  }

  func callAsFunction() throws {
    let context = ModelContext(session.container)
    let lists = try all(Traffic.List.self, context)
    Output.line("LISTS " + TrafficSession.text(lists))
    let registers = try all(Traffic.Register.self, context)
    Output.line("REGISTERS " + Self.text(registers.mapValues(\.value)))
    let counters = try all(Traffic.Counter.self, context)
    Output.line("COUNTERS " + Self.text(counters.mapValues(\.value)))
    let accounts = try all(Traffic.Account.self, context)
    Output.line("SUM \(accounts.values.reduce(0) { $0 + $1.balance })")
    try checkHolders(context)
    try tellHistory()
    Output.line("DONE")
  }

  private static func text(_ values: [Int: Int]) -> String {
    values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
  }

  /// All objects of a model by number, which is unique.
  private func all<Model: TrafficModel>(
    _: Model.Type,
    _ context: ModelContext
  ) throws -> [Int: Model] {
    let models = try context.fetch(FetchDescriptor<Model>())
    let byNumber = Dictionary(grouping: models, by: \.number)
    for (number, same) in byNumber where same.count > 1 {
      Output.line("BROKEN \(same.count) objects of \(Model.self) have the number \(number)")
    }
    return byNumber.compactMapValues(\.first)
  }

  /// Prints who made the transactions of the history, in its order, and whether it has all of them.
  private func tellHistory() throws {
    for store in session.container.stores {
      guard let store = store as? any HistoryKeeping, try store.historyBounds().cut == 0 else {
        Output.line("BROKEN the history does not go back to the beginning")
        continue
      }
      let transactions = try store.transactions(StoreHistoryQuery())
      Output.line("HISTORY " + transactions.map { $0.author ?? "-" }.joined(separator: " "))
      let numbers = transactions.map(\.number)
      for (number, next) in zip(numbers, numbers.dropFirst()) where number >= next {
        Output.line("BROKEN transaction \(next) follows \(number) in the history")
      }
    }
  }

  /// Compares both ends of the relationship.
  private func checkHolders(_ context: ModelContext) throws {
    let holders = try all(Traffic.Holder.self, context)
    let pieces = try all(Traffic.Piece.self, context)
    if pieces.count != Traffic.counts.pieces {
      Output.line("BROKEN there are \(pieces.count) pieces of \(Traffic.counts.pieces)")
    }
    for (number, piece) in pieces {
      guard let holder = piece.holder else { continue }
      let times = holder.pieces.count { $0 == piece }
      if holders[holder.number] != holder || times != 1 {
        Output.line("BROKEN piece \(number) is \(times) times in its holder \(holder.number)")
      }
    }
    for (number, holder) in holders {
      for piece in holder.pieces where piece.holder != holder {
        Output.line("BROKEN holder \(number) has piece \(piece.number), which lies elsewhere")
      }
    }
  }
}
