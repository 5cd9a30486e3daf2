import Foundation

// What libFuzzer, which has the `main`, calls. `FUZZ_TARGET` chooses the target; with `FUZZ_SEEDS`
// the program writes the target's first inputs to that folder and ends.

private let target: FuzzTarget? = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
  .flatMap(FuzzTarget.init(rawValue:))

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<Int32>?,
  _ arguments: UnsafeMutableRawPointer?
) -> Int32 {
  guard let target else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
    end("FUZZ_TARGET names none of the targets: \(names)", 64)
  }
  guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
  do {
    for (index, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
  } catch {
    end("the seeds of \(target.rawValue) cannot be made: \(error)", 1)
  }
  exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  do {
    try target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    FileHandle.standardError.write(Data("FAILURE \(error)\n".utf8))
    abort()
  }
  return 0
}

private func end(_ message: String, _ code: Int32) -> Never {
  FileHandle.standardError.write(Data("fuzz: \(message)\n".utf8))
  exit(code)
}
