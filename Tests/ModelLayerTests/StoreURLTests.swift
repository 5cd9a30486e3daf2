import ModelLayer
import Testing

@Suite struct StoreURLTests {
  @Test func `a URL with another path keeps options with reserved characters`() throws {
    let url = try StoreURL("json:/tmp/a.json?name=a%26b%3Dc%25&other=%3F")
    let moved = try StoreURL(url.text(withPath: "/tmp/100%?.json"))
    #expect(moved.path == "/tmp/100%?.json")
    #expect(moved.options == ["name": "a&b=c%", "other": "?"])
    #expect(moved.options == url.options)
  }
}
