import CoreDataTestSupport
import Foundation
import StoreTestSupport
import Testing

@testable import CoreDataFiles

@Suite("Decompressing DEFLATE data")
struct InflaterTests {
  /// Words in a random order, so that codes, lengths and distances of many sizes occur.
  static let text = [UInt8](
    """
    value store entity store save save save fetch key store save row fetch fetch row
    save entity key store model row row row row fetch key fetch row key save save
    key model key key save entity row fetch store value entity store model fetch key
    entity entity save fetch row save key fetch fetch value model model store save
    store value fetch model save row save row entity fetch value value key row key
    key fetch model model save entity row fetch value key fetch row save model key
    fetch save model fetch model row model save row key value value store entity row
    store store row save row entity key entity store value model entity store value
    value
    """.replacing("\n", with: " ").utf8
  )

  /// The text compressed by zlib, with dynamic codes and with fixed codes.
  static let compressed = [
    """
    bVJBDsMgDPsKX6vWTJvWDallTP39lDjgUHGoBTix46h12b6SjpJ3SfIpz3L65VhqhLuU2yO9ZKD3/HMC
    qHcjXInl77zKZnz8KMp+6+m2ekOvnjrn+tSAS7UwQww008jJVsNofXaOA4QodIBxQcEX5V7S1tMP7hg1
    gerXgtN78JtGZvclAPflu+Fj1Nb6y7DaE0cbfgvTR3LDWbqw4bgZ2EwIwz8=
    """,
    """
    K0vMKU1VKC7JL0pVSM0rySyphHKKE8uQibTUkuQMhexUFOmi/HKoBIQE8cESUJMQynPzU1JzwPLIGGEo
    Qj9YD9xaEA+iF8SCy0HNR5gBsaUM7BkUb0A0IyyCSsLUILwGdzvCORASYijEHAiJHEBI9kKUQ5XAggfO
    gNqIbCaEBNkH8zjCbhT7sHoZoRvNA4jwgoYNQhDZbJB6NMeC9CA7DSVZgM2H+BxMYvMdUggjhwzEGiwS
    YBIA
    """,
  ].map { [UInt8](Data(base64Encoded: $0, options: .ignoreUnknownCharacters) ?? Data()) }

  @Test(arguments: compressed)
  func `data of zlib is decompressed`(_ data: [UInt8]) throws {
    #expect(try Inflater.inflate(data) == Self.text)
  }

  @Test func `stored blocks are copied`() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(try Inflater.inflate(deflated(bytes)) == bytes)
    #expect(try Inflater.inflate(deflated([])) == [])
  }

  @Test func `a copy may overlap its own output`() throws {
    // zlib's data of four times 'hello ' and a line feed.
    let data: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0xB9, 0x00]
    #expect(try Inflater.inflate(data) == [UInt8]("hello hello hello hello\n".utf8))
  }

  @Test(arguments: compressed)
  func `data that ends too early is refused`(_ data: [UInt8]) {
    for count in data.indices {
      #expect(throws: FormatError.self) { try Inflater.inflate([UInt8](data.prefix(count))) }
    }
  }

  @Test func `decompressing stops at the maximum size`() {
    #expect(throws: FormatError.self) {
      try Inflater.inflate(Self.compressed[0], maximumSize: Self.text.count - 1)
    }
    #expect(throws: Never.self) {
      try Inflater.inflate(Self.compressed[0], maximumSize: Self.text.count)
    }
  }

  @Test(
    arguments: [
      [0x07], [0x00, 0x01, 0x00, 0x00, 0x00, 0x41], [0x4B, 0x04, 0x1F, 0x00],
    ] as [[UInt8]]
  )
  func `malformed blocks are refused`(_ data: [UInt8]) {
    #expect(throws: FormatError.self) { try Inflater.inflate(data) }
  }

  @Test func `damaged data is decompressed within the maximum size or refused`() {
    var generator = SeededGenerator(seed: 27)
    for _ in 0..<20_000 {
      var data = Self.compressed[Int.random(in: 0...1, using: &generator)]
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        data[Int.random(in: data.indices, using: &generator)] = .random(
          in: 0...255,
          using: &generator
        )
      }
      if let result = try? Inflater.inflate(data, maximumSize: 10_000) {
        #expect(result.count <= 10_000)
      }
    }
  }
}
