import CommandLineSupport
import OpenSwiftData

/// `trips watch`: notices what another process confirms, as an app notices its widget.
enum WatchCommand {
  static let count = Option("count", value: "NUMBER", "Ends after so many stays.")

  static let command = Command(
    "watch",
    "Waits for stays that 'trips confirm' confirms elsewhere, and marks their trips with a star.",
    options: [count]
  ) { invocation, console in
    let limit = try invocation.integer(count, in: 1...Int.max)
    let container = try TripsProgram.container(invocation)
    let begin = try HistoryObserver(modelContainer: container).historyTokens
    console.print("Watching; another process may confirm stays now.")
    try console.output.flush()
    var marked = 0
    let transactions = container.transactions(
      after: begin,
      of: LivingAccommodation.self,
      by: [ConfirmCommand.author]
    )
    for try await transactions in transactions {
      let context = ModelContext(container)
      for stay in context.confirmedStays(in: transactions) {
        stay.trip?.hasNews = true
        console.print(
          "\(stay.trip?.name.visible ?? "No trip"): \(stay.placeName.visible) is confirmed."
        )
        marked += 1
      }
      try context.save()
      try console.output.flush()
      if let limit, marked >= limit { return }
    }
  }
}

extension ModelContext {
  /// The stays that transactions say were confirmed, and still are.
  fileprivate func confirmedStays(
    in transactions: [DefaultHistoryTransaction]
  ) -> [LivingAccommodation] {
    transactions.flatMap(\.changes).compactMap { change in
      guard case .update(let update as DefaultHistoryUpdate<LivingAccommodation>) = change,
        update.updatedAttributes.contains(where: { $0 == \LivingAccommodation.isConfirmed }),
        let stay = model(for: update.changedPersistentIdentifier) as? LivingAccommodation
      else { return nil }
      return stay.isConfirmed && !stay.isDeleted ? stay : nil
    }
  }
}
