import Testing

@testable import StoreFiles

@Suite struct ValueFileNamingTests {
  private let naming = ValueFileNaming(store: "7E0B4F5C-2D0C-4F0E-9C1A-0F4B7C2E9A11")

  @Test func `the hash equals the reference values of SipHash-2-4`() {
    let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(SipHash.hash(of: Array(0..<15), key: key) == 0xa129_ca61_49be_45e5)
    #expect(SipHash.hash(of: [], key: key) == 0x726f_db47_dd0e_0e31)
    #expect(SipHash.hash(of: Array(0..<8), key: key) == 0x93f5_f579_9a93_2462)
  }

  @Test func `names are unique and are recognized by their store`() {
    let names = (0..<1_000).map { _ in naming.newName() }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy(FileReference.isName))
    #expect(names.allSatisfy(naming.isOwn))
    #expect(!names.contains(where: ValueFileNaming(store: "another").isOwn))
  }

  @Test(arguments: [
    "", "README", String(repeating: "a", count: 32), "d41d8cd98f00b204e9800998ecf8427e",
    String(repeating: "é", count: 16),
  ])
  func `foreign names are not recognized`(name: String) {
    #expect(!naming.isOwn(name))
  }

  @Test func `a name with one changed digit is not recognized`() {
    let name = Array(naming.newName())
    for index in name.indices {
      var other = name
      other[index] = other[index] == "0" ? "1" : "0"
      #expect(!naming.isOwn(String(other)))
    }
  }
}
