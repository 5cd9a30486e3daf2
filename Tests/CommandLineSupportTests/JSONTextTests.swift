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

  @Test func `keys are in order, dates in ISO 8601, and slashes as they are`() throws {
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

  @Test func `what JSON cannot say is an error`() {
    #expect(throws: EncodingError.self) { try JSONText.encoding([Double.infinity]) }
  }
}
