import Testing

@testable import StoreFiles

@Suite struct CRC32CTests {
  private static let known: [([UInt8], UInt32)] = [
    (Array("123456789".utf8), 0xE306_9283), ([], 0),
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
  ]

  @Test(arguments: known)
  func `the checksum equals that of RFC 3720`(bytes: [UInt8], checksum: UInt32) {
    #expect(bytes.withUnsafeBytes { CRC32C.checksum(of: $0) } == checksum)
  }

  @Test func `the checksum of two parts is computed from theirs`() {
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    bytes.withUnsafeBytes { bytes in
      let whole = CRC32C.checksum(of: bytes)
      for cut in [0, 1, 7, 8, 63, 64, 1_000, 4_999, 5_000] {
        let parts = [bytes[..<cut], bytes[cut...]].map {
          CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: $0))
        }
        let behind = CRC32C.Extension(byteCount: bytes.count - cut)
        #expect(behind.joined(parts[0], parts[1]) == whole)
      }
    }
  }

  @Test func `the checksum does not depend on the size of updates`() {
    let bytes = (0..<100).map { UInt8($0) }
    let whole = bytes.withUnsafeBytes { CRC32C.checksum(of: $0) }
    for cut in 0...100 {
      var checksum = CRC32C()
      bytes[..<cut].withUnsafeBytes { checksum.update($0) }
      bytes[cut...].withUnsafeBytes { checksum.update($0) }
      #expect(checksum.value == whole)
    }
  }
}
