/// Damage to JSON that leaves it JSON: other values, keys, nestings, members twice.
enum JSONMutation {
  private static let values: [String] = [
    "0", "-1", "1", "-0", "1.5", "1e400", "1e-400", "127", "128", "256", "9223372036854775807",
    "9223372036854775806", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
    "4611686018427387904", "null", "true", "false", "\"\"", "\"x\"", "\"\\u0000\"", "\"\\ud800\"",
    "[]", "{}", "[1]", "[1,1]", "[[[[]]]]", "{\"$id\":1}", "{\"$double\":\"nan\"}",
    "{\"$double\":\"0x7ff8000000000001\"}", "{\"$date\":1e308}", "{\"$date\":\"inf\"}",
    "{\"$data\":\"AP8=\"}", "{\"$decimal\":\"1e127\"}", "{\"$identifier\":[\"Shelf\",1,\"S\"]}",
    "{\"$file\":\"0123456789abcdef0123456789abcdef\",\"bytes\":9223372036854775807,"
      + "\"crc32c\":\"00000000\"}",
    "{\"$file\":\"../../../../etc/passwd0000000000\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"0123456789abcdef0123456789abcdef\",\"bytes\":-1,\"crc32c\":\"00000000\"}",
    "\"9999-12-31T23:59:59.999999999Z\"", "\"0001-01-01T00:00:00Z\"", "\"1e400\"", "\"NaN\"",
    "\"2026-02-30T00:00:00Z\"", "\"99999999999999999999999999999999999999\"", "\"2.0.0\"",
  ]
  private static let keys: [String] = [
    "\"$id\"", "\"$file\"", "\"format\"", "\"version\"", "\"store\"", "\"nextKey\"", "\"code\"",
    "\"shelf\"", "\"friends\"", "\"photo\"", "\"\"", "\"Shelf\"", "\"Specimen\"", "\"generation\"",
  ]

  /// Does one thing to JSON.
  ///
  /// - Returns: What it was.
  static func apply(to bytes: inout [UInt8], _ numbers: inout Numbers) -> String {
    var tokens = tokens(bytes)
    guard tokens.count > 4 else { return ByteMutation.apply(to: &bytes, &numbers) }
    let index = randomIndex(tokens, &numbers)
    let story: String
    switch numbers.next(below: 8) {
    case 0, 1, 2:
      let value = values[numbers.next(below: values.count)]
      tokens[index] = Array(value.utf8)[...]
      story = "token \(index) is \(value)"
    case 3:
      let key = keys[numbers.next(below: keys.count)]
      tokens[index] = Array(key.utf8)[...]
      story = "token \(index) is \(key)"
    case 4:
      tokens.remove(at: index)
      story = "token \(index) gone"
    case 5:
      let other = numbers.next(below: tokens.count)
      tokens.swapAt(index, other)
      story = "tokens \(index) and \(other) exchanged"
    case 6: story = nest(&tokens, index, &numbers)
    default: story = again(&tokens, index, &numbers)
    }
    bytes = Array(tokens.joined())
    return story
  }

  /// Some token: most often a value or key, else any; a part of them at the top.
  private static func randomIndex(_ tokens: [ArraySlice<UInt8>], _ numbers: inout Numbers) -> Int {
    let limit = numbers.next(below: 4) == 0 ? min(60, tokens.count) : tokens.count
    for _ in 0..<8 {
      let index = numbers.next(below: limit)
      if (tokens[index].first ?? 0) != 0x2C, tokens[index].count > 1 { return index }
    }
    return numbers.next(below: limit)
  }

  private static func nest(
    _ tokens: inout [ArraySlice<UInt8>],
    _ index: Int,
    _ numbers: inout Numbers
  ) -> String {
    let depth = [1, 63, 64, 65, 600, 20_000][numbers.next(below: 6)]
    let isList = numbers.next(below: 2) == 0
    let opening = Array((isList ? "[" : "{\"a\":").utf8)
    let closing = Array((isList ? "]" : "}").utf8)
    var nested: [UInt8] = []
    for _ in 0..<depth { nested += opening }
    nested += tokens[index]
    for _ in 0..<depth { nested += closing }
    tokens[index] = nested[...]
    return "token \(index) nested \(depth) deep"
  }

  private static func again(
    _ tokens: inout [ArraySlice<UInt8>],
    _ index: Int,
    _ numbers: inout Numbers
  ) -> String {
    let end = min(tokens.count, index + 1 + numbers.next(below: 8))
    let copied = tokens[index..<end]
    let comma: ArraySlice<UInt8> = [0x2C]
    tokens.insert(contentsOf: Array(copied) + [comma], at: index)
    return "tokens \(index)..<\(end) twice"
  }

  /// Strings, words and punctuation, with the blanks between them as tokens of their own.
  private static func tokens(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var tokens: [ArraySlice<UInt8>] = []
    var index = 0
    while index < bytes.count {
      let start = index
      index += 1
      if bytes[start] == 0x22 {
        while index < bytes.count, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
        index = min(bytes.count, index + 1)
      } else if isWord(bytes[start]) {
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
      }
      tokens.append(bytes[start..<index])
    }
    return tokens
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }
}
