import Foundation
import Testing

@testable import JSONFileStore

@Suite("A decimal number's string in a document")
struct DecimalTextTests {
  @Test(
    arguments: [
      ("12.50", "12.5"), ("-0.0", "0"), ("007", "7"), ("-0.10", "-0.1"), ("1.", "1"),
      ("NaN", "NaN"),
      ("12345678901234567890.5", "12345678901234567890.5"),
    ]
  )
  func `may have redundant zeros`(text: String, description: String) {
    #expect(Decimal(exactText: text)?.description == description)
  }

  @Test(
    arguments: [
      "", "-", ".", "1..", "1.2.3", "1e5", " 1", "1 ", "x", "0x1", "+1",
      "1234567890123456789012345678901234567890.5",
    ]
  )
  func `is refused if it is malformed or loses digits`(text: String) {
    #expect(Decimal(exactText: text) == nil)
  }
}
