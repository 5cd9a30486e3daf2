import StoreProtocol

/// Slots in an order that only the caller knows, in chunks, so that an insertion or removal moves
/// few of them.
///
/// Invariants, which ``hasSoundChunks`` checks:
/// 1. No chunk is empty, and none is longer than ``longestChunk``.
/// 2. ``count`` is the number of slots in all chunks.
/// 3. `lasts` contains the last slot of each chunk.
struct SortedSlots: Sendable {
  /// A position between two slots, or at either end.
  struct Position: Comparable, Sendable {
    fileprivate(set) var chunk: Int
    fileprivate(set) var offset: Int

    static func < (lhs: Position, rhs: Position) -> Bool {
      (lhs.chunk, lhs.offset) < (rhs.chunk, rhs.offset)
    }
  }

  /// An insertion moves half of it on average; a copy for a reader has one entry per chunk.
  static let longestChunk = 1024

  private var chunks: [[Int32]]
  // A search visits many chunks and reads one slot of each: in one array these slots are in the
  // processor's cache, while the chunks are not.
  private var lasts: [Int32]
  private(set) var count: Int

  /// Creates a list of sorted slots.
  init(_ slots: [Int32] = []) {
    let step = Self.longestChunk / 4 * 3
    chunks = stride(from: 0, to: slots.count, by: step).map { start in
      Array(slots[start..<min(start + step, slots.count)])
    }
    lasts = chunks.map { $0[$0.count - 1] }
    count = slots.count
  }

  var start: Position { Position(chunk: 0, offset: 0) }
  var end: Position { Position(chunk: chunks.count, offset: 0) }

  /// The slot after a position other than ``end``.
  @inline(__always)
  subscript(position: Position) -> Int32 { chunks[position.chunk][position.offset] }

  /// Returns the position after the next slot.
  @inline(__always)
  func next(_ position: Position) -> Position {
    if position.offset + 1 < chunks[position.chunk].count {
      return Position(chunk: position.chunk, offset: position.offset + 1)
    }
    return Position(chunk: position.chunk + 1, offset: 0)
  }

  /// Returns the position before the previous slot.
  func previous(_ position: Position) -> Position {
    if position.offset > 0 {
      return Position(chunk: position.chunk, offset: position.offset - 1)
    }
    return Position(chunk: position.chunk - 1, offset: chunks[position.chunk - 1].count - 1)
  }

  /// Returns the position after all slots for which `precedes` is true.
  ///
  /// It must be true for the first slots and false for all later ones.
  ///
  /// - Parameters:
  ///   - first: A position before which it is true, or `nil` if none is known. Slots close after it
  ///     are then tested first, so a short distance takes few tests.
  ///   - precedes: A closure that returns whether a slot precedes the position.
  /// - Returns: The position of the first slot for which it is false, or the end.
  func partition(from first: Position? = nil, _ precedes: (Int) -> Bool) -> Position {
    let from = first ?? start
    let isNear = first != nil
    let chunk = Self.partition(from.chunk..<chunks.count, isNear) { precedes(Int(lasts[$0])) }
    guard chunk < chunks.count else { return end }
    let slots = (chunk == from.chunk ? from.offset : 0)..<chunks[chunk].count
    let offset = Self.partition(slots, isNear) { precedes(Int(chunks[chunk][$0])) }
    return Position(chunk: chunk, offset: offset)
  }

  private static func partition(
    _ range: Range<Int>,
    _ isNear: Bool,
    _ precedes: (Int) -> Bool
  ) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    var step = 1
    while isNear, low < high {
      let probe = min(low + step, high) - 1
      guard precedes(probe) else {
        high = probe
        break
      }
      low = probe + 1
      step *= 2
    }
    return (low..<high).partitioningIndex { !precedes($0) }
  }

  /// Returns the number of slots between two positions.
  func count(_ range: Range<Position>) -> Int {
    let (from, to) = (range.lowerBound, range.upperBound)
    if from.chunk == to.chunk { return to.offset - from.offset }
    let between = chunks[from.chunk..<to.chunk].reduce(0) { $0 + $1.count }
    return between - from.offset + to.offset
  }

  /// Returns the slots between two positions, chunk by chunk.
  func parts(_ range: Range<Position>) -> some Sequence<ArraySlice<Int32>> {
    let (from, to) = (range.lowerBound, range.upperBound)
    return (from.chunk..<min(to.chunk + 1, chunks.count)).lazy.map { chunk in
      let first = chunk == from.chunk ? from.offset : 0
      let last = chunk == to.chunk ? to.offset : chunks[chunk].count
      return chunks[chunk][first..<last]
    }
  }

  /// Appends the slots between two positions to a list.
  func append(_ range: Range<Position>, to list: inout [Int32]) {
    for part in parts(range) { list.append(contentsOf: part) }
  }

  mutating func insert(_ slot: Int, at position: Position) {
    count += 1
    guard !chunks.isEmpty else {
      lasts = [Int32(slot)]
      return chunks.append([Int32(slot)])
    }
    // At a border, the slot is appended to the previous chunk, where nothing has to move.
    let isAtBorder = position.offset == 0 && position.chunk > 0
    let chunk = isAtBorder ? position.chunk - 1 : position.chunk
    chunks[chunk].insert(Int32(slot), at: isAtBorder ? chunks[chunk].count : position.offset)
    if chunks[chunk].count > Self.longestChunk { split(chunk) } else { noteLast(of: chunk) }
  }

  /// Removes the slot after a position other than ``end``.
  mutating func remove(at position: Position) {
    count -= 1
    chunks[position.chunk].remove(at: position.offset)
    if chunks[position.chunk].count < Self.longestChunk / 8 { join(position.chunk) }
    if position.chunk < chunks.count { noteLast(of: position.chunk) }
  }

  private mutating func noteLast(of chunk: Int) {
    if let last = chunks[chunk].last { lasts[chunk] = last }
  }

  // New slots are mostly in ascending order of values: a split at the end leaves no half-full
  // chunk.
  private mutating func split(_ chunk: Int) {
    let isLast = chunk == chunks.count - 1
    let half = isLast ? Self.longestChunk / 8 * 7 : Self.longestChunk / 2
    let rest = Array(chunks[chunk][half...])
    chunks[chunk].removeSubrange(half...)
    chunks.insert(rest, at: chunk + 1)
    lasts.insert(lasts[chunk], at: chunk + 1)
    noteLast(of: chunk)
    noteLast(of: chunk + 1)
  }

  /// Merges a small chunk with its neighbor if both fit into one.
  private mutating func join(_ chunk: Int) {
    if chunks[chunk].isEmpty {
      chunks.remove(at: chunk)
      lasts.remove(at: chunk)
    } else if chunk > 0, chunks[chunk - 1].count + chunks[chunk].count < Self.longestChunk / 4 * 3 {
      chunks[chunk - 1] += chunks.remove(at: chunk)
      lasts.remove(at: chunk)
      noteLast(of: chunk - 1)
    }
  }

  /// Whether the invariants hold.
  var hasSoundChunks: Bool {
    chunks.allSatisfy { !$0.isEmpty && $0.count <= Self.longestChunk }
      && chunks.reduce(0) { $0 + $1.count } == count && chunks.map(\.last) == lasts
  }
}
