import Foundation
import Testing

@testable import StoreFiles

@Suite struct ProcessMarkTests {
  @Test func `a process's mark is current in the process and not in its child`() throws {
    let mark = ProcessMark.current
    #expect(mark.isCurrent)
    // Swift does not offer fork, because a child of a multithreaded program can do little.
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
    let child = fork()
    if child == 0 {
      let isOwn = ProcessMark.current.isCurrent
      _exit(mark.isCurrent ? 1 : isOwn ? 0 : 2)
    }
    try #require(child > 0)
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 0)
    #expect(mark.isCurrent)
  }
}
