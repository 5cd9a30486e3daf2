/// One operation on a store, of those that a script names.
enum Step: Hashable {
  /// Inserts an item, or changes it where there is one of that number.
  case put(Int)
  /// Puts several items of rising numbers in one save.
  case batch(Int, count: Int)
  /// Deletes an item.
  case drop(Int)
  /// Puts an item into a box; makes both where they are missing.
  case link(Int, box: Int)
  /// Takes an item out of its box.
  case unlink(Int)
  /// Gives the items of a box another order.
  case turn(Int)
  /// Gives an item a value of a size in bytes.
  case blob(Int, size: Int)
  /// Puts several items of rising numbers with such values in one save.
  case blobs(Int, count: Int, size: Int)
  /// Deletes everything.
  case clear
  /// Changes an item and rolls back.
  case rollback(Int)
  /// Reads everything and compares it.
  case fetch
  /// Has the store checkpoint its journal or log.
  case compact
  /// Closes the store and opens it again.
  case reopen
  /// Opens the store with a schema that has one property more.
  case widen

  /// Reads a step, nil for a text that is none.
  init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard let name = words.first, numbers.count == words.count - 1,
      numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    switch (name, numbers.count) {
    case ("put", 1): self = .put(numbers[0])
    case ("batch", 2): self = .batch(numbers[0], count: numbers[1])
    case ("drop", 1): self = .drop(numbers[0])
    case ("link", 2): self = .link(numbers[0], box: numbers[1])
    case ("unlink", 1): self = .unlink(numbers[0])
    case ("turn", 1): self = .turn(numbers[0])
    case ("blob", 2): self = .blob(numbers[0], size: numbers[1])
    case ("blobs", 3): self = .blobs(numbers[0], count: numbers[1], size: numbers[2])
    case ("clear", 0): self = .clear
    case ("rollback", 1): self = .rollback(numbers[0])
    case ("fetch", 0): self = .fetch
    case ("compact", 0): self = .compact
    case ("reopen", 0): self = .reopen
    case ("widen", 0): self = .widen
    default: return nil
    }
  }

  /// A step that follows from a seed and a number alone.
  init(seed: UInt64, number: Int) {
    var numbers = Numbers(seed: seed ^ (UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9))
    let item = numbers.next(below: 40) + 1
    let box = numbers.next(below: 4) + 1
    switch numbers.next(below: 100) {
    case 0..<38: self = .put(item)
    case 38..<50: self = .drop(item)
    case 50..<66: self = .link(item, box: box)
    case 66..<71: self = .unlink(item)
    case 71..<76: self = .turn(box)
    case 76..<80: self = .blob(item, size: 100 + numbers.next(below: 1_000))
    case 80..<84: self = .blob(item, size: 16_384 + numbers.next(below: 60_000))
    case 84..<88: self = .batch(item, count: 20)
    case 88..<91: self = .rollback(item)
    case 91..<95: self = .fetch
    case 95..<97: self = .compact
    case 97..<99: self = .reopen
    default: self = .clear
    }
  }
}
