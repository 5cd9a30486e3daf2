import Foundation
import StoreProtocol
import Testing

@Suite("The text of a UUID")
struct UUIDTextTests {
  @Test func `is that of Foundation, which reads it back in either case`() {
    for _ in 0..<200 {
      let uuid = UUID()
      #expect(uuid.text == uuid.uuidString)
      #expect(UUID(text: uuid.text) == uuid)
      #expect(UUID(text: uuid.text.lowercased()) == uuid)
    }
  }

  @Test func `is refused if Foundation refuses it`() {
    let text = "00010203-0405-0607-0809-0A0B0C0D0EFF"
    for index in text.indices {
      for character in "0afAFgG-/:@` é" {
        let changed = text[..<index] + [character] + text[index...].dropFirst()
        #expect(UUID(text: String(changed)) == UUID(uuidString: String(changed)), "\(changed)")
      }
    }
    for other in ["", "0", String(text.dropLast()), text + "0", "{\(text)}"] {
      #expect(UUID(text: other) == UUID(uuidString: other), "\(other)")
    }
  }
}
