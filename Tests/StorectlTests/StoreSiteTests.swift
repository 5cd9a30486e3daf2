import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreTool

@Suite("storectl serve")
struct StoreSiteTests {
  private struct Response {
    let head: String
    let body: String

    init(_ bytes: [UInt8]) {
      let text = String(decoding: bytes, as: UTF8.self)
      let end = text.range(of: "\r\n\r\n")
      head = String(text[..<(end?.lowerBound ?? text.endIndex)])
      body = String(text[(end?.upperBound ?? text.endIndex)...])
    }

    var status: Substring { head.dropFirst(9).prefix(3) }
  }

  /// The pages of a store, with the store.
  private struct Served {
    let library: Library
    let site: StoreSite

    init(_ library: Library, url: String? = nil) throws {
      self.library = library
      site = StoreSite(try OpenedStore(url ?? library.url), port: 8765)
    }
  }

  private static func get(
    _ target: String,
    from served: Served,
    method: String = "GET"
  ) -> Response {
    let request = "\(method) \(target) HTTP/1.1\r\nHost: localhost:8765\r\n\r\n"
    return Response(served.site.respond(Array(request.utf8)))
  }

  @Test(arguments: ["sqlite", "json"])
  func `the start page contains all entities with their counts`(kind: String) throws {
    let response = Self.get("/", from: try Served(Library(kind)))
    #expect(response.status == "200", "\(response.body)")
    #expect(response.body.contains("<a href=\"/entities/Author\">Author</a></th>"))
    #expect(response.body.contains("<caption>8 objects of 5 entities</caption>"))
    #expect(response.body.contains("<dd>"))
  }

  @Test func `the numbers of pages have separators`() throws {
    let library = try Library("json")
    do {
      let context = ModelContext(try Library.container(library.url))
      for number in 0..<1_000 { context.insert(Tag(word: "word \(number)")) }
      try context.save()
    }
    let site = try Served(library)
    let start = Self.get("/", from: site).body
    #expect(start.contains("<caption>1,008 objects of 5 entities</caption>"))
    // The number follows the name, so that a narrow window shows it.
    #expect(start.contains("<a href=\"/entities/Tag\">Tag</a></th><td class=\"n\">1,002</td>"))
    let tags = Self.get("/entities/Tag?page=2", from: site).body
    #expect(tags.contains("<caption>1,002 objects of Tag</caption>"))
    #expect(tags.contains("<span>51–100 of 1,002</span>"))
  }

  @Test(arguments: [
    (0, "0"), (-7, "-7"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `digits are in groups of three`(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test(arguments: ["sqlite", "json"])
  func `an entity's objects can be sorted by a link in the table header`(kind: String) throws {
    let library = try Library(kind)
    let site = try Served(library)
    let up = Self.get("/entities/Book?sort=pages", from: site).body
    #expect(up.contains("aria-sort=\"ascending\"><a href=\"/entities/Book?sort=-pages\">"))
    let down = Self.get("/entities/Book?sort=-pages", from: site).body
    let order = try ["120", "80", "-3"].map { pages in
      try #require(down.range(of: ">\(pages)</td>")).lowerBound
    }
    #expect(order == order.sorted())
    #expect(down.contains("Novel/"))
    let odd = Self.get("/entities/Book?sort=nothing&page=99999999999999999999", from: site)
    #expect(odd.status == "200")
  }

  @Test(arguments: ["sqlite", "json"])
  func `an object's page links to related objects and large values`(kind: String) throws {
    let library = try Library(kind)
    let site = try Served(library)
    let ada = try library.locate("Author", "name", where: "name", is: .string("Ada")).identifier
    let body = Self.get("/objects/\(ada)", from: site).body
    let book = try library.locate("Book", "title", where: "title", is: .string("Numbers"))
    #expect(
      body.contains(
        "<a href=\"/objects/\(book.identifier)\">\(book.identifier)</a>"
          + " <span class=\"label\">Numbers</span>"
      )
    )
    let related = Self.get("/objects/\(ada)/books", from: site)
    #expect(related.body.contains("<caption>2 objects, in order</caption>"))
    let data = Self.get("/objects/\(book.identifier)", from: site).body
    #expect(data.contains("2 bytes<br><code>00 ff</code>"))
    let link = "/objects/\(book.identifier)/scan"
    #expect(data.contains("In a file. <a href=\"\(link)\">The whole value</a>"))
    let scan = Self.get(link, from: site)
    #expect(scan.head.contains("Content-Disposition: attachment"))
    #expect(scan.body == String(repeating: "\u{7}", count: 40_000))
  }

  /// Nine megabytes: one letter with marks, lines, and characters that escaping makes longer.
  enum LongString: String, CaseIterable {
    case marks, lines, signs

    var text: String {
      switch self {
      case .marks: "e" + String(repeating: "\u{301}", count: 4_500_000)
      case .lines: String(repeating: "a line\r\n", count: 1_125_000)
      case .signs: String(repeating: "<\u{1B}>", count: 3_000_000)
      }
    }
  }

  @Test(arguments: zip(LongString.allCases, ["sqlite", "json", "sqlite"]))
  func `a very long string is truncated, with a link to the whole value`(
    long: LongString,
    kind: String
  ) throws {
    let text = long.text
    let library = try Library(kind, oddText: text)
    let site = try Served(library)
    let author = try library.locate("Author", "name", where: "name", is: .string(text)).identifier
    for target in ["/entities/Author", "/objects/\(author)", "/entities/Book"] {
      #expect(Self.get(target, from: site).body.utf8.count < 250_000, "\(target)")
    }
    let link = "/objects/\(author)/name"
    let body = Self.get("/objects/\(author)", from: site).body
    let size = "The first 20,000 characters of \(text.utf8.count.grouped) bytes."
    #expect(body.contains("\(size) <a href=\"\(link)\">The whole value</a>"))
    let whole = Self.get(link, from: site)
    #expect(whole.head.contains("Content-Type: text/plain; charset=utf-8"))
    #expect(whole.head.contains("X-Content-Type-Options: nosniff"))
    #expect(whole.body.utf8.elementsEqual(text.utf8))
  }

  @Test func `a missing page has status 404`() throws {
    let site = try Served(Library("json"))
    let targets = [
      "/nothing", "/entities", "/entities/Nobody", "/objects/Author/99", "/objects/Author/x",
      "/objects/Nobody/1", "/objects/Author/1/nothing", "/schema/x", "/../etc/passwd",
      "/favicon.ico",
      "/objects/Author/1/name/x", "/objects/Author/99/name", "/objects/Nobody/1/name",
    ]
    for target in targets { #expect(Self.get(target, from: site).status == "404", "\(target)") }
  }

  @Test func `stored strings are never markup`() throws {
    let library = try Library("sqlite")
    let site = try Served(library)
    let author = try library.locate("Author", "name", where: "name", is: .string(Library.hostile))
    for target in ["/entities/Author", "/objects/\(author.identifier)", "/entities/Book"] {
      let body = Self.get(target, from: site).body
      #expect(!body.contains("<b>") && !body.contains("'Co'"), "\(target)")
      #expect(body.contains("&lt;b&gt;&quot;Ärger&quot; &amp; &#39;Co&#39;,"), "\(target)")
      #expect(!body.contains("\u{1B}") && !body.contains("\u{202E}"))
    }
  }

  @Test func `names of a schema are never markup, and link to their pages`() throws {
    let name = "A/<b>\"?&#%\u{202E}"
    let library = try Library("json")
    let url = library.other("json")
    let entity = StoreEntity(
      name: name,
      properties: [StoreProperty(name: name, kind: .attribute(.string), isOptional: true)]
    )
    do {
      _ = try OpenedStore(url, making: Schema(storeSchema: StoreSchema(entities: [entity])))
    }
    let site = try Served(library, url: url)
    let link = PageLink.entity(name)
    #expect(Self.get("/", from: site).body.contains("href=\"\(link)\""))
    #expect(Self.get(link, from: site).status == "200")
    for target in ["/", link, "/schema"] {
      let body = Self.get(target, from: site).body
      #expect(!body.contains("<b>") && !body.contains("\u{202E}"), "\(target)")
    }
  }

  @Test(arguments: ["sqlite", "json"])
  func `history is a list of saves, the newest first`(kind: String) throws {
    let library = try Library(kind)
    do {
      let context = ModelContext(try Library.container(library.url))
      context.author = "me <i>"
      for number in 0..<25 {
        context.insert(Tag(word: "word \(number)"))
        try context.save()
      }
    }
    let site = try Served(library)
    let first = Self.get("/history", from: site).body
    let kept = try #require(OpenedStore(library.url).store as? any HistoryKeeping)
    let last = try kept.historyBounds().last
    #expect(first.contains("<li value=\"\(last)\"><h2>Save \(last) by me &lt;i&gt;</h2>"))
    #expect(first.components(separatedBy: "<h2>Save").count == 21)
    #expect(first.contains("href=\"/history?before=\(last - 19)\""))
    let older = Self.get("/history?before=\(last - 19)", from: site).body
    #expect(older.contains("Save \(last - 25)<") && !older.contains("Save \(last - 19) "))
  }

  @Test func `the schema is a drawing and tables`() throws {
    let body = Self.get("/schema", from: try Served(Library("json"))).body
    #expect(body.contains("<svg class=\"schema\" role=\"img\" aria-labelledby="))
    #expect(body.components(separatedBy: "<rect class=\"box\"").count == 6)
    #expect(body.components(separatedBy: "class=\"inherits\"").count == 2)
    #expect(body.contains("<th scope=\"row\">author</th><td>Author?</td><td>books</td>"))
  }

  @Test func `the response to HEAD has only the head`() throws {
    let site = try Served(Library("json"))
    let whole = Self.get("/", from: site)
    let head = Self.get("/", from: site, method: "HEAD")
    #expect(head.head == whole.head && head.body.isEmpty)
    #expect(whole.head.contains("Content-Length: \(whole.body.utf8.count)"))
  }

  @Test func `no page can run scripts or load external resources`() throws {
    let site = try Served(Library("json"))
    for target in ["/", "/entities/Book", "/schema", "/history", "/style.css", "/nothing"] {
      let response = Self.get(target, from: site)
      #expect(
        response.head.contains("Content-Security-Policy: default-src 'none'; style-src 'self'")
      )
      #expect(response.head.contains("X-Content-Type-Options: nosniff"))
      for word in ["<script", " style=", " onload=", "http:", "https:"] {
        #expect(!response.body.contains(word), "\(target) \(word)")
      }
    }
  }

  @Test func `requests with other hosts or methods get no page`() throws {
    let site = try Served(Library("json"))
    let other = Response(site.site.respond(Array("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)))
    #expect(other.status == "421" && !other.body.contains("Author"))
    let post = Self.get("/", from: site, method: "POST")
    #expect(post.status == "405" && post.head.contains("Allow: GET, HEAD"))
    #expect(Response(site.site.respond(nil)).status == "408")
  }

  @Test func `every page has landmarks, a language, a title and a skip link`() throws {
    let site = try Served(Library("sqlite"))
    for target in ["/", "/entities/Book", "/schema", "/history", "/nothing"] {
      let body = Self.get(target, from: site).body
      for part in [
        "<html lang=\"en\">", "<title>", "<a class=\"skip\" href=\"#content\">", "<header>",
        "<nav aria-label=\"Store\">", "<main id=\"content\">", "<h1>", "<footer>",
      ] {
        #expect(body.components(separatedBy: part).count == 2, "\(target) \(part)")
      }
      #expect(!body.contains("<th>"))
    }
  }

  @Test func `no request changes the store`() throws {
    let library = try Library("sqlite")
    let file = library.folder.file("books.sqlite")
    let before = try Data(contentsOf: file)
    do {
      let site = try Served(library)
      for target in ["/", "/entities/Book?sort=pages", "/objects/Book/1", "/schema", "/history"] {
        _ = Self.get(target, from: site)
        _ = Self.get(target, from: site, method: "DELETE")
      }
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(throws: DataStoreError.self) { try OpenedStore(library.url).store.erase() }
  }

  @Test(arguments: ["sqlite", "json"])
  func `an entity's objects can be filtered by a string, a condition and both`(
    kind: String
  ) throws {
    let site = try Served(Library(kind))
    func count(_ query: String) -> String {
      let body = Self.get("/entities/Book?\(query)", from: site).body
      let start = body.range(of: "<caption>")?.upperBound ?? body.startIndex
      return String(body[start...].prefix { $0.isNumber })
    }
    #expect(count("q=number") == "1")
    #expect(count("where=author.name%3DAda") == "2")
    #expect(count("q=number&where=pages%3E100") == "1")
    #expect(count("q=number&where=pages%3C100") == "0")
    let body = Self.get("/entities/Book?q=%3Cb%3E&where=pages%3C0&sort=pages", from: site).body
    #expect(body.contains("name=\"q\" value=\"&lt;b&gt;\"") && !body.contains("value=\"<b>"))
    #expect(body.contains("href=\"/entities/Book?q=%3Cb%3E&amp;where=pages%3C0&amp;sort=-pages\""))
    let wrong = Self.get("/entities/Book?where=pagess%3E1", from: site)
    #expect(wrong.status == "400" && wrong.body.contains("has no property &#39;pagess&#39;"))
    #expect(wrong.body.contains("name=\"where\" value=\"pagess&gt;1\""))
    #expect(wrong.body.contains("Show all"))
  }

  @Test(arguments: ["sqlite", "json"])
  func `a form opens an object by its identifier`(kind: String) throws {
    let site = try Served(Library(kind))
    #expect(Self.get("/", from: site).body.contains("<form action=\"/go\""))
    // Examples are of the store itself.
    let books = Self.get("/entities/Book", from: site).body
    #expect(books.contains("name=\"id\" placeholder=\"Account/1\""))
    #expect(books.contains("name=\"where\" value=\"\" placeholder=\"title~a, author.name~a\""))
    let object = Self.get("/go?id=Author%2F1", from: site)
    #expect(object.status == "200" && object.body.contains("Ada"))
    #expect(Self.get("/go?id=Author%2F99", from: site).status == "404")
    let wrong = Self.get("/go?id=Nobody%2F1", from: site)
    #expect(wrong.status == "400" && wrong.body.contains("no entity &#39;Nobody&#39;"))
    #expect(Self.get("/go", from: site).status == "400")
  }
}
