import Testing

@testable import StoreFiles

@Suite struct FileReferenceTests {
  @Test func `a reference is decoded from its string`() throws {
    let name = Self.name
    let reference = try #require(FileReference(name: name, size: 20_000, checksum: 0xA1))
    #expect(reference.text == "{\"$file\":\"\(name)\",\"bytes\":20000,\"crc32c\":\"000000a1\"}")
    #expect(FileReference(reference.text) == reference)
  }

  private static let name = "0123456789abcdef0123456789abcdef"

  @Test(arguments: [
    "", "{}", "\"\"\"\"\"\"\"\"\"\"",
    "{\"$file\":\"../../../../../../../../etc/passwd\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"0123456789ABCDEF0123456789ABCDEF\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\(name)/\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\(name)\",\"bytes\":-1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\(name)\",\"bytes\":01,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\(name)\",\"bytes\":1,\"crc32c\":\"0\"}",
    "{\"$file\":\"\(name)\",\"bytes\":99999999999999999999,\"crc32c\":\"00000000\"}",
    " {\"$file\":\"\(name)\",\"bytes\":1,\"crc32c\":\"00000000\"}",
    "{\"$file\":\"\(name)\",\"bytes\":1,\"crc32c\":\"00000000\",\"more\":1}",
  ])
  func `any other string is rejected`(text: String) {
    #expect(FileReference(text) == nil)
  }
}
