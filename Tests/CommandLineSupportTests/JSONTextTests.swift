import CommandLineSupport
import Foundation
import Testing

@Suite("JSONText")
struct JSONTextTests {
  private struct Sample: Encodable {
    let name = "a/b"
    let count = 3
    let day = Date(timeIntervalSince1970: 1_356_998_400)
  }

  @Test func `keys are sorted, dates are ISO 8601, and slashes are not escaped`() throws {
    #expect(
      try JSONText.encoding(Sample()) == """
        {
          "count" : 3,
          "day" : "2013-01-01T00:00:00Z",
          "name" : "a/b"
        }

        """
    )
  }

  @Test func `a character that changes the direction of text is escaped`() throws {
    #expect(try JSONText.line(["\u{202E}a"]) == #"["\u202ea"]"# + "\n")
  }

  @Test func `a value without a JSON form throws an error`() {
    #expect(throws: EncodingError.self) { try JSONText.encoding([Double.infinity]) }
  }
}
