import Foundation
import Testing

@testable import JSONFileStore

@Suite("The text of a decimal number in a document")
struct DecimalTextTests {
  @Test(
    arguments: [
      ("12.50", "12.5"), ("-0.0", "0"), ("007", "7"), ("-0.10", "-0.1"), ("1.", "1"),
      ("NaN", "NaN"),
      ("12345678901234567890.5", "12345678901234567890.5"),
    ]
  )
  func `may have zeros that change nothing`(text: String, description: String) {
    #expect(Decimal(exactText: text)?.description == description)
  }

  @Test(
    arguments: [
      "", "-", ".", "1..", "1.2.3", "1e5", " 1", "1 ", "x", "0x1", "+1",
      "1234567890123456789012345678901234567890.5",
    ]
  )
  func `is refused where it does not come back digit by digit`(text: String) {
    #expect(Decimal(exactText: text) == nil)
  }
}
