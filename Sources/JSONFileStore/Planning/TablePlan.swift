/// The plan to find the rows of one table that pass a filter.
struct TablePlan {
  enum Source {
    case all
    /// Ascending slots, and how they were found.
    case slots([Int32], how: String)
    /// Parts of an index.
    case index(IndexMatch)
  }

  /// The table's index in the store.
  let number: Int
  let source: Source
  /// The number of rows in the source.
  let count: Int
  /// The test of each row.
  let filter: RowFilter

  /// Returns the slots of the rows that pass, in ascending order, up to a limit.
  func slots(in view: ReadView, limit: Int? = nil) throws -> [Int32] {
    let limit = limit ?? .max
    guard limit > 0 else { return [] }
    guard let test = try filter.test(number, in: view) else {
      let candidates = try candidates(in: view)
      return limit < candidates.count ? Array(candidates.prefix(limit)) : candidates
    }
    var found: [Int32] = []
    var block: [Int32] = []
    if case .all = source {
      let table = try view.load(number)
      for start in stride(from: 0, to: table.slotCount, by: Self.blockSize) {
        let slots = Int32(start)..<Int32(min(start + Self.blockSize, table.slotCount))
        block.removeAll(keepingCapacity: true)
        if table.isWhole {
          block.append(contentsOf: slots)
        } else {
          block.append(contentsOf: slots.lazy.filter { table.isAlive(Int($0)) })
        }
        guard try test.append(&block, to: &found, limit: limit) else { break }
      }
    } else {
      let slots = try candidates(in: view)
      for start in stride(from: 0, to: slots.count, by: Self.blockSize) {
        block.replaceSubrange(0..., with: slots[start..<min(start + Self.blockSize, slots.count)])
        guard try test.append(&block, to: &found, limit: limit) else { break }
      }
    }
    return found
  }

  /// Returns the slots of the rows that pass, in the order of an index, up to a limit.
  func slots(inOrderOf match: IndexMatch, in view: ReadView, limit: Int) throws -> [Int32] {
    guard limit > 0 else { return [] }
    let test = try filter.test(number, in: view)
    var found: [Int32] = []
    for part in match.ranges.lazy.flatMap(match.index.slots.parts) {
      if let test {
        var block = Array(part)
        guard try test.append(&block, to: &found, limit: limit) else { break }
      } else {
        found += part.prefix(limit - found.count)
        if found.count == limit { break }
      }
    }
    return found
  }

  /// The number of rows that are tested by one column before the next.
  private static let blockSize = 1024

  /// Returns the slots of the source, in ascending order.
  private func candidates(in view: ReadView) throws -> [Int32] {
    switch source {
    case .all:
      let table = try view.load(number)
      return (0..<Int32(table.slotCount)).filter { table.isAlive(Int($0)) }
    case .slots(let slots, _): return slots
    case .index(let match):
      var slots: [Int32] = []
      slots.reserveCapacity(match.count)
      for range in match.ranges { match.index.slots.append(range, to: &slots) }
      slots.sort()
      return slots
    }
  }
}
