import Testing

@testable import StoreTestSupport

@Suite("A sweep")
struct SweepTests {
  @Test func `has each element in some part`() {
    let all = Array(0..<23)
    let parts = (0..<23).map { Sweep.part(all, of: 5, from: $0) }
    #expect(parts.allSatisfy { Set($0).count == 5 && $0 == $0.sorted() })
    #expect(Set(parts.joined()) == Set(all))
    #expect(Sweep.part(all, of: 5, from: -7).count == 5)
  }

  @Test func `has the seed of the run, unless another is to be repeated`() {
    #expect(Sweep.randomSeed(in: ["OPENSWIFTDATA_SEED": "7"]) == 7)
    #expect(Sweep.randomSeed(in: ["OPENSWIFTDATA_SEED": "7", "OSD_SEED": "3"]) == 3)
    #expect(Sweep.randomSeed(in: ["OSD_SEED": "x", "OPENSWIFTDATA_SEED": "-7"]) == 1)
  }

  @Test func `of few elements has all of them`() {
    #expect(Sweep.part([1, 2], of: 2, from: 1) == [1, 2])
    #expect(Sweep.part([Int](), of: 3, from: 1) == [])
  }
}
