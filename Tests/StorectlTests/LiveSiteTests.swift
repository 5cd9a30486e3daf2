import Foundation
import OpenSwiftData
import Testing

@testable import StoreTool

@Suite("Pages of a store in use")
struct LiveSiteTests {
  @Test(arguments: ["sqlite", "json"])
  func `show the last save, and do not block other saves`(kind: String) throws {
    let library = try Library(kind)
    let site = try LiveSite(library.url, port: 80)
    let request = Array("GET /entities/Tag HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    let page = { String(decoding: site.respond(request), as: UTF8.self) }
    #expect(page().contains("old") && !page().contains("third"))
    let context = ModelContext(try Library.container("\(library.url)?timeout=0"))
    context.insert(Tag(word: "third"))
    try context.save()
    #expect(page().contains("third"))
  }
}
