import Foundation
import OpenSwiftData

/// Finds new transactions, including those of other processes.
///
/// The store is opened and closed for each check: some kinds of store block saves while they are
/// read.
struct HistoryFollower {
  private let url: String
  private let filter: [StoreHistoryFilter]
  private var last: Int64
  private var seen: [String]

  /// Begins after a transaction.
  init(_ url: String, filter: [StoreHistoryFilter], after last: Int64) {
    (self.url, self.filter, self.last) = (url, filter, last)
    seen = []
  }

  /// Returns the transactions since the last call, the oldest first; none while another process
  /// creates the store.
  ///
  /// - Throws: Other errors of opening and reading.
  mutating func next() throws -> [StoreTransaction] {
    let state = Self.state(of: url)
    guard state.isEmpty || state != seen else { return [] }
    let found: [StoreTransaction]
    do {
      let opened = try OpenedStore(url) { _ in }
      guard let store = opened.store as? any HistoryKeeping else { return [] }
      let conditions = filter + [.number(.greater, last)]
      found = try store.transactions(
        StoreHistoryQuery(filter: .all(conditions), order: [.init(.number)])
      )
      last = max(last, try store.historyBounds().last, found.last?.number ?? last)
    } catch DataStoreError.storeBusy {
      return []
    }
    seen = state
    return found
  }

  /// Returns the names, sizes and times of the files, by which a write is detected; nothing for a
  /// store without files.
  static func state(of url: String) -> [String] {
    guard (try? OpenedStore.isFile(url)) == true, let path = try? StoreURL(url).path else {
      return []
    }
    return ["", "-wal", ".journal"].map { ending in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + ending)
      let size = (attributes?[.size] as? NSNumber)?.intValue ?? -1
      let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      return "\(ending) \(size) \(time)"
    }
  }
}
