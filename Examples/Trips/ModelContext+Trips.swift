import CommandLineSupport
import Foundation
import OpenSwiftData

extension ModelContext {
  /// The one trip that a person means by a name or a part of it.
  ///
  /// - Throws: `CommandFailure` when there is none, or more than one.
  func trip(called text: String) throws -> Trip {
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name.localizedStandardContains(text) },
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name)]
    )
    let similar = try fetch(descriptor)
    let exact = similar.filter { $0.name == text }
    let candidates = exact.isEmpty ? similar : exact
    guard let trip = candidates.first else {
      throw CommandFailure("no trip is called '\(text)'; see 'trips list --all'")
    }
    guard candidates.count == 1 else {
      let names = candidates.map { "\n  \($0.name), \($0.days)" }.joined()
      throw CommandFailure("'\(text)' may be one of several trips:\(names)")
    }
    return trip
  }
}

extension Trip {
  /// The one thing on the bucket list that a person means by a title or a part of it.
  ///
  /// - Throws: `CommandFailure` when there is none, or more than one.
  func item(called text: String) throws -> BucketListItem {
    let similar = bucketList.filter { $0.title.lowercased().contains(text.lowercased()) }
    let exact = similar.filter { $0.title == text }
    let candidates = exact.isEmpty ? similar : exact
    guard let item = candidates.first, candidates.count == 1 else {
      let titles = bucketList.map { "\n  \($0.title)" }.joined()
      let none = titles.isEmpty ? "; there is nothing yet" : ", which has:\(titles)"
      throw CommandFailure("'\(text)' is not one thing on the list of \(name)\(none)")
    }
    return item
  }
}

/// Arguments that several commands take.
enum TripArguments {
  static let trip = Argument("TRIP", "The trip's name or a part of it.")
  static let item = Argument("ITEM", "The thing's title or a part of it.", count: .optional)
}
