import Testing

@testable import SQLiteStore

@Suite("A list of keys")
struct KeyListTests {
  @Test(
    arguments: [
      ([], "[]"), ([0], "[0]"), ([7, 10, 1_000_000], "[7,10,1000000]"),
      ([-1, 0, -90], "[-1,0,-90]"),
      ([.max, .min], "[9223372036854775807,-9223372036854775808]"),
    ] as [([Int64], String)]
  )
  func `is encoded as JSON and decoded`(_ keys: [Int64], _ text: String) {
    #expect(KeyList.encoded(keys) == text)
    #expect(KeyList.decoded(text) == keys)
  }
}
