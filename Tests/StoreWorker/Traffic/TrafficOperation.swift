/// One operation of the traffic, in a context of its own.
enum TrafficOperation {
  /// A value for a list.
  struct Appending {
    let list: Int
    let value: Int
  }

  /// Reads lists in one fetch.
  case lists([Int])
  /// Reads lists in one fetch, appends to each, and saves them all.
  case append([Appending])
  /// Reads a register.
  case read(Int)
  /// Writes a register.
  case write(Int, value: Int, Way)
  /// Raises a counter by one, and returns its value.
  case add(Int)
  /// Raises a counter by one without reading it.
  case raise(Int)
  /// Moves an amount from one account to another.
  case transfer(from: Int, to: Int, amount: Int)
  /// Reads all accounts in one fetch.
  case sum
  /// Puts a piece into a holder, made where it is missing, or into none.
  case move(Int, holder: Int?)
  /// Deletes a holder, by its object or by a condition.
  case drop(Int, isBulk: Bool)

  /// How a register is written.
  enum Way: Int {
    /// As a new object of the same number, which replaces the one that is there.
    case insert
    /// By changing the object that is there.
    case change
    /// By a change of all objects that satisfy a condition.
    case update
  }

  /// An operation that follows from all numbers alone; no two write the same value.
  ///
  /// Operations of one stretch use the same lists.
  init(_ options: TrafficOptions, number: Int, stretch: Int) {
    let mixed = UInt64(number &* 64 &+ options.process) &* 0x9E37_79B9_7F4A_7C15
    var numbers = Numbers(seed: options.seed ^ mixed)
    let value = (number * 64 + options.process) * 4
    if options.isReader {
      self = Self.reading(options, stretch, &numbers)
      return
    }
    switch numbers.next(below: 100) {
    case 0..<12: self = .lists(Self.lists(options, stretch, most: 4, &numbers))
    case 12..<42:
      let lists = Self.lists(options, stretch, most: 3, &numbers)
      self = .append(lists.enumerated().map { Appending(list: $1, value: value + $0) })
    case 42..<50: self = .read(numbers.next(below: Traffic.counts.registers) + 1)
    case 50..<64:
      self = .write(
        numbers.next(below: Traffic.counts.registers) + 1,
        value: value,
        Way(rawValue: numbers.next(below: 3)) ?? .insert
      )
    case 64..<72: self = .add(numbers.next(below: Traffic.counts.counters) + 1)
    case 72..<76: self = .raise(numbers.next(below: Traffic.counts.counters) + 1)
    case 76..<86: self = Self.transfer(&numbers)
    case 86..<92: self = .sum
    case 92..<98:
      let holder = numbers.next(below: Traffic.counts.holders + 1)
      self = .move(
        numbers.next(below: Traffic.counts.pieces) + 1,
        holder: holder == 0 ? nil : holder
      )
    default:
      self = .drop(
        numbers.next(below: Traffic.counts.holders) + 1,
        isBulk: numbers.next(below: 2) == 0
      )
    }
  }

  private static func reading(
    _ options: TrafficOptions,
    _ stretch: Int,
    _ numbers: inout Numbers
  ) -> TrafficOperation {
    switch numbers.next(below: 3) {
    case 0: .lists(lists(options, stretch, most: 4, &numbers))
    case 1: .read(numbers.next(below: Traffic.counts.registers) + 1)
    default: .sum
    }
  }

  /// Some of four lists that all processes use at about the same time: short ones, much in demand.
  private static func lists(
    _ options: TrafficOptions,
    _ stretch: Int,
    most: Int,
    _ numbers: inout Numbers
  ) -> [Int] {
    let first = stretch * 4
    let offset = numbers.next(below: 4)
    return (0...numbers.next(below: most)).map { next in
      (first + (offset + next) % 4) % options.lists + 1
    }
  }

  private static func transfer(_ numbers: inout Numbers) -> TrafficOperation {
    let from = numbers.next(below: Traffic.counts.accounts)
    let distance = numbers.next(below: Traffic.counts.accounts - 1) + 1
    return .transfer(
      from: from + 1,
      to: (from + distance) % Traffic.counts.accounts + 1,
      amount: numbers.next(below: 50) + 1
    )
  }

  /// Whether the operation saves.
  var isSave: Bool {
    switch self {
    case .lists, .read, .sum: false
    default: true
    }
  }

  /// The operation as the log has it.
  var text: String {
    switch self {
    case .lists(let lists): "lists " + lists.map(String.init).joined(separator: " ")
    case .append(let all):
      "append " + all.map { "\($0.list)=\($0.value)" }.joined(separator: " ")
    case .read(let register): "read \(register)"
    case .write(let register, let value, _): "write \(register) \(value)"
    case .add(let counter): "add \(counter)"
    case .raise(let counter): "raise \(counter)"
    case .transfer(let from, let to, let amount): "transfer \(from) \(to) \(amount)"
    case .sum: "sum"
    case .move(let piece, let holder): "move \(piece) \(holder ?? 0)"
    case .drop(let holder, _): "drop \(holder)"
    }
  }
}
