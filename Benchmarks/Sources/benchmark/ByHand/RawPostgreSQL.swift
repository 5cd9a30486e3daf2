import Foundation

/// libpq by hand, in blocking mode: for someone who knows the tables and nothing else.
final class RawPostgreSQL {
  private let library: RawLibPQ
  private let handle: OpaquePointer

  /// Connects to a server.
  init(_ url: String) throws {
    library = try RawLibPQ.loaded.get()
    guard let handle = library.connectdb(url) else { throw BenchmarkError("libpq: no memory") }
    self.handle = handle
    guard library.status(handle) == 0 else { throw failure("connecting") }
  }

  deinit { library.finish(handle) }

  /// The version of the server, such as 150018.
  var serverVersion: Int { Int(library.serverVersion(handle)) }

  /// Executes statements without parameters, all in one message.
  func execute(_ sql: String) throws {
    let result = library.exec(handle, sql)
    defer { library.clear(result) }
    guard [1, 2].contains(library.resultStatus(result)) else { throw failure(sql) }
  }

  /// Prepares a statement.
  func prepare(_ name: String, _ sql: String) throws {
    let result = library.prepare(handle, name, sql, 0, nil)
    defer { library.clear(result) }
    guard library.resultStatus(result) == 1 else { throw failure(sql) }
  }

  /// Executes a statement once, with a binary result.
  func rows(_ sql: String) throws -> RawRows {
    try rows(library.execParams(handle, sql, 0, nil, nil, nil, nil, 1), sql)
  }

  /// Executes a prepared statement, with binary parameters and a binary result.
  func rows(prepared name: String, _ parameters: RawParameters) throws -> RawRows {
    let result = parameters.withPointers {
      library.execPrepared(handle, name, $0, $1, $2, $3, 1)
    }
    return try rows(result, name)
  }

  /// Executes a statement that is not prepared, with binary parameters and a binary result.
  func rows(_ sql: String, _ parameters: RawParameters) throws -> RawRows {
    let result = parameters.withPointers {
      library.execParams(handle, sql, $0, nil, $1, $2, $3, 1)
    }
    return try rows(result, sql)
  }

  /// Executes prepared statements in one round trip, and returns their results.
  func pipeline(_ statements: [(name: String, parameters: RawParameters)]) throws -> [RawRows] {
    try pipeline(statements) { library.sendQueryPrepared(handle, $0, $1, $2, $3, $4, 1) }
  }

  /// Executes statements that are not prepared in one round trip, and returns their results.
  func pipeline(sql: [(name: String, parameters: RawParameters)]) throws -> [RawRows] {
    try pipeline(sql) { library.sendQueryParams(handle, $0, $1, nil, $2, $3, $4, 1) }
  }

  private func pipeline(
    _ statements: [(name: String, parameters: RawParameters)],
    _ send: (
      String, Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>,
      UnsafePointer<Int32>
    ) -> Int32
  ) throws -> [RawRows] {
    guard library.enterPipelineMode(handle) == 1 else { throw failure("pipeline") }
    for (name, parameters) in statements {
      let isSent = parameters.withPointers { send(name, $0, $1, $2, $3) }
      guard isSent == 1 else { throw failure(name) }
    }
    guard library.pipelineSync(handle) == 1 else { throw failure("pipeline") }
    let results = try statements.map { name, _ in
      defer { library.clear(library.getResult(handle)) }
      return try rows(library.getResult(handle), name)
    }
    library.clear(library.getResult(handle))
    guard library.exitPipelineMode(handle) == 1 else { throw failure("pipeline") }
    return results
  }

  /// One number.
  func number(_ sql: String) throws -> Int {
    let rows = try rows(sql)
    guard rows.count == 1 else { throw failure(sql) }
    return rows.integer(0, 0)
  }

  private func rows(_ result: OpaquePointer?, _ what: String) throws -> RawRows {
    guard let result, [1, 2].contains(library.resultStatus(result)) else {
      library.clear(result)
      throw failure(what)
    }
    return RawRows(handle: result, library: library)
  }

  private func failure(_ what: String) -> BenchmarkError {
    let message = library.errorMessage(handle).map { String(cString: $0) } ?? ""
    return BenchmarkError("libpq: \(message) in \(what)")
  }
}

/// The rows of a binary result.
final class RawRows {
  private let handle: OpaquePointer
  private let library: RawLibPQ

  fileprivate init(handle: OpaquePointer, library: RawLibPQ) {
    self.handle = handle
    self.library = library
  }

  deinit { library.clear(handle) }

  var count: Int { Int(library.ntuples(handle)) }

  func integer(_ row: Int, _ column: Int32) -> Int { Int(Int64(bitPattern: bits(row, column))) }

  func double(_ row: Int, _ column: Int32) -> Double { Double(bitPattern: bits(row, column)) }

  func text(_ row: Int, _ column: Int32) -> String {
    guard let start = library.getvalue(handle, Int32(row), column) else { return "" }
    let count = Int(library.getlength(handle, Int32(row), column))
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private func bits(_ row: Int, _ column: Int32) -> UInt64 {
    guard let start = library.getvalue(handle, Int32(row), column) else { return 0 }
    return UInt64(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }
}

/// The binary parameters of a statement.
struct RawParameters {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func add(_ number: Int) {
    bytes.append(bits: UInt64(bitPattern: Int64(number)))
    ends.append(bytes.count)
  }

  mutating func add(_ number: Double) {
    bytes.append(bits: number.bitPattern)
    ends.append(bytes.count)
  }

  mutating func add(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    ends.append(bytes.count)
  }

  mutating func add(_ identifier: UUID) {
    withUnsafeBytes(of: identifier.uuid) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  /// Adds the integers of some items as an `int8[]`.
  mutating func add(_ items: ArraySlice<PlainItem>, _ value: (PlainItem) -> Int) {
    array(20, items) { bytes, item in
      bytes.append(bits: 8 as UInt32)
      bytes.append(bits: UInt64(bitPattern: Int64(value(item))))
    }
  }

  /// Adds the numbers of some items as a `float8[]`.
  mutating func add(_ items: ArraySlice<PlainItem>, _ value: (PlainItem) -> Double) {
    array(701, items) { bytes, item in
      bytes.append(bits: 8 as UInt32)
      bytes.append(bits: value(item).bitPattern)
    }
  }

  /// Adds the strings of some items as a `text[]`.
  mutating func add(_ items: ArraySlice<PlainItem>, _ value: (PlainItem) -> String) {
    array(25, items) { bytes, item in
      let text = value(item)
      bytes.append(bits: UInt32(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
  }

  private mutating func array(
    _ type: UInt32,
    _ items: ArraySlice<PlainItem>,
    _ append: (inout [UInt8], PlainItem) -> Void
  ) {
    for word in [1, 0, type, UInt32(items.count), 1] { bytes.append(bits: word) }
    for item in items { append(&bytes, item) }
    ends.append(bytes.count)
  }

  func withPointers<Result>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
    ) -> Result
  ) -> Result {
    let starts = [0] + ends
    let lengths = zip(starts, ends).map { Int32($1 - $0) }
    return (bytes + [0]).withUnsafeBytes { buffer in
      let base = buffer.bindMemory(to: CChar.self).baseAddress
      let values = starts.map { base?.advanced(by: $0) }
      return body(Int32(ends.count), values, lengths, Array(repeating: 1, count: starts.count))
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bits: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: bits.bigEndian) { append(contentsOf: $0) }
  }
}

/// The functions of libpq that the controls use, loaded when the first one connects.
private struct RawLibPQ: Sendable {
  typealias Handle = OpaquePointer?
  typealias Text = UnsafePointer<CChar>?
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>?
  typealias Integers = UnsafePointer<Int32>?
  typealias Types = UnsafePointer<UInt32>?

  static let loaded = Result<RawLibPQ, any Error> { try RawLibPQ() }

  let connectdb: @Sendable @convention(c) (Text) -> Handle
  let finish: @Sendable @convention(c) (Handle) -> Void
  let status: @Sendable @convention(c) (Handle) -> UInt32
  let serverVersion: @Sendable @convention(c) (Handle) -> Int32
  let errorMessage: @Sendable @convention(c) (Handle) -> Text
  let exec: @Sendable @convention(c) (Handle, Text) -> Handle
  let execParams:
    @Sendable @convention(c) (Handle, Text, Int32, Types, Texts, Integers, Integers, Int32) ->
      Handle
  let prepare: @Sendable @convention(c) (Handle, Text, Text, Int32, Types) -> Handle
  let execPrepared:
    @Sendable @convention(c) (Handle, Text, Int32, Texts, Integers, Integers, Int32) -> Handle
  let sendQueryPrepared:
    @Sendable @convention(c) (Handle, Text, Int32, Texts, Integers, Integers, Int32) -> Int32
  let sendQueryParams:
    @Sendable @convention(c) (Handle, Text, Int32, Types, Texts, Integers, Integers, Int32) -> Int32
  let enterPipelineMode: @Sendable @convention(c) (Handle) -> Int32
  let exitPipelineMode: @Sendable @convention(c) (Handle) -> Int32
  let pipelineSync: @Sendable @convention(c) (Handle) -> Int32
  let getResult: @Sendable @convention(c) (Handle) -> Handle
  let clear: @Sendable @convention(c) (Handle) -> Void
  let resultStatus: @Sendable @convention(c) (Handle) -> UInt32
  let ntuples: @Sendable @convention(c) (Handle) -> Int32
  let getvalue: @Sendable @convention(c) (Handle, Int32, Int32) -> UnsafeMutablePointer<CChar>?
  let getlength: @Sendable @convention(c) (Handle, Int32, Int32) -> Int32

  private init() throws {
    #if os(macOS)
      let names = ["libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"]
    #else
      let names = ["libpq.so.5"]
    #endif
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else {
      throw BenchmarkError("libpq is not installed")
    }
    func symbol<Function>(_ name: String) throws -> Function {
      guard let symbol = dlsym(library, "PQ" + name) else {
        throw BenchmarkError("libpq has no PQ\(name); version 14 or newer is required")
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    connectdb = try symbol("connectdb")
    finish = try symbol("finish")
    status = try symbol("status")
    serverVersion = try symbol("serverVersion")
    errorMessage = try symbol("errorMessage")
    exec = try symbol("exec")
    execParams = try symbol("execParams")
    prepare = try symbol("prepare")
    execPrepared = try symbol("execPrepared")
    sendQueryPrepared = try symbol("sendQueryPrepared")
    sendQueryParams = try symbol("sendQueryParams")
    enterPipelineMode = try symbol("enterPipelineMode")
    exitPipelineMode = try symbol("exitPipelineMode")
    pipelineSync = try symbol("pipelineSync")
    getResult = try symbol("getResult")
    clear = try symbol("clear")
    resultStatus = try symbol("resultStatus")
    ntuples = try symbol("ntuples")
    getvalue = try symbol("getvalue")
    getlength = try symbol("getlength")
  }
}
