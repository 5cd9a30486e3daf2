import Foundation

/// The functions of libpq 5, PostgreSQL's C library, loaded when the first connection needs them.
///
/// The package builds without libpq. Each property is the C function `PQ` followed by the property's
/// name; a test compares the types with `libpq-fe.h` where that header is installed.
package struct LibPQ: Sendable {
  package typealias Connection = OpaquePointer?
  package typealias Result = OpaquePointer?
  package typealias CString = UnsafePointer<CChar>?
  package typealias CStrings = UnsafePointer<UnsafePointer<CChar>?>?
  package typealias Integers = UnsafePointer<Int32>?
  package typealias NoticeProcessor = @convention(c) (UnsafeMutableRawPointer?, CString) -> Void

  // Connections
  package let libVersion: @Sendable @convention(c) () -> Int32
  package let connectStartParams: @Sendable @convention(c) (CStrings, CStrings, Int32) -> Connection
  package let connectPoll: @Sendable @convention(c) (Connection) -> UInt32
  package let finish: @Sendable @convention(c) (Connection) -> Void
  package let status: @Sendable @convention(c) (Connection) -> UInt32
  package let transactionStatus: @Sendable @convention(c) (Connection) -> UInt32
  package let errorMessage: @Sendable @convention(c) (Connection) -> UnsafeMutablePointer<CChar>?
  package let socket: @Sendable @convention(c) (Connection) -> Int32
  package let serverVersion: @Sendable @convention(c) (Connection) -> Int32
  package let backendPID: @Sendable @convention(c) (Connection) -> Int32
  package let setnonblocking: @Sendable @convention(c) (Connection, Int32) -> Int32
  package let setNoticeProcessor:
    @Sendable @convention(c) (Connection, NoticeProcessor?, UnsafeMutableRawPointer?) ->
      NoticeProcessor?

  // Requests
  package let sendQuery: @Sendable @convention(c) (Connection, CString) -> Int32
  package let sendPrepare:
    @Sendable @convention(c) (Connection, CString, CString, Int32, UnsafePointer<UInt32>?) -> Int32
  package let sendQueryPrepared:
    @Sendable @convention(c) (
      Connection, CString, Int32, CStrings, Integers, Integers, Int32
    ) -> Int32
  package let sendQueryParams:
    @Sendable @convention(c) (
      Connection, CString, Int32, UnsafePointer<UInt32>?, CStrings, Integers, Integers, Int32
    ) -> Int32
  package let enterPipelineMode: @Sendable @convention(c) (Connection) -> Int32
  package let exitPipelineMode: @Sendable @convention(c) (Connection) -> Int32
  package let pipelineSync: @Sendable @convention(c) (Connection) -> Int32
  package let flush: @Sendable @convention(c) (Connection) -> Int32
  package let consumeInput: @Sendable @convention(c) (Connection) -> Int32
  package let isBusy: @Sendable @convention(c) (Connection) -> Int32
  package let getCopyData:
    @Sendable @convention(c) (
      Connection, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Int32
    ) -> Int32

  // Notifications
  package let notifies: @Sendable @convention(c) (Connection) -> UnsafeMutableRawPointer?
  package let freemem: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

  // Cancellation
  package let getCancel: @Sendable @convention(c) (Connection) -> OpaquePointer?
  package let cancel:
    @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32
  package let freeCancel: @Sendable @convention(c) (OpaquePointer?) -> Void

  // Results
  package let getResult: @Sendable @convention(c) (Connection) -> Result
  package let clear: @Sendable @convention(c) (Result) -> Void
  package let resultStatus: @Sendable @convention(c) (Result) -> UInt32
  package let resultErrorField:
    @Sendable @convention(c) (Result, Int32) -> UnsafeMutablePointer<CChar>?
  package let cmdStatus: @Sendable @convention(c) (Result) -> UnsafeMutablePointer<CChar>?
  package let ntuples: @Sendable @convention(c) (Result) -> Int32
  package let nfields: @Sendable @convention(c) (Result) -> Int32
  package let fname: @Sendable @convention(c) (Result, Int32) -> UnsafeMutablePointer<CChar>?
  package let ftype: @Sendable @convention(c) (Result, Int32) -> UInt32
  package let fformat: @Sendable @convention(c) (Result, Int32) -> Int32
  package let getisnull: @Sendable @convention(c) (Result, Int32, Int32) -> Int32
  package let getlength: @Sendable @convention(c) (Result, Int32, Int32) -> Int32
  package let getvalue:
    @Sendable @convention(c) (Result, Int32, Int32) -> UnsafeMutablePointer<CChar>?

  private static let loaded = Swift.Result<LibPQ, PostgreSQLError> {
    () throws(PostgreSQLError) in try LibPQ(candidates: LibraryNames.candidates)
  }

  /// Returns the functions, after loading the library if this is the first call of the process.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `libraryMissing` if libpq is not installed or is older
  ///   than version 14.
  package static func load() throws(PostgreSQLError) -> LibPQ { try loaded.get() }

  /// Loads the first library that exists.
  ///
  /// The library stays loaded until the process ends.
  init(candidates: [String]) throws(PostgreSQLError) {
    var reasons: [String] = []
    for name in candidates {
      if let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        try self.init(symbols: LibrarySymbols(handle: handle, name: name))
        return
      }
      reasons.append(dlerror().map { String(cString: $0) } ?? name)
    }
    throw PostgreSQLError(
      .libraryMissing,
      "libpq, PostgreSQL's client library, cannot be loaded (\(reasons.joined(separator: "; "))). "
        + LibraryNames.advice
    )
  }

  private init(symbols: LibrarySymbols) throws(PostgreSQLError) {
    libVersion = try symbols["libVersion"]
    connectStartParams = try symbols["connectStartParams"]
    connectPoll = try symbols["connectPoll"]
    finish = try symbols["finish"]
    status = try symbols["status"]
    transactionStatus = try symbols["transactionStatus"]
    errorMessage = try symbols["errorMessage"]
    socket = try symbols["socket"]
    serverVersion = try symbols["serverVersion"]
    backendPID = try symbols["backendPID"]
    notifies = try symbols["notifies"]
    freemem = try symbols["freemem"]
    setnonblocking = try symbols["setnonblocking"]
    setNoticeProcessor = try symbols["setNoticeProcessor"]
    sendQuery = try symbols["sendQuery"]
    sendPrepare = try symbols["sendPrepare"]
    sendQueryPrepared = try symbols["sendQueryPrepared"]
    sendQueryParams = try symbols["sendQueryParams"]
    enterPipelineMode = try symbols["enterPipelineMode"]
    exitPipelineMode = try symbols["exitPipelineMode"]
    pipelineSync = try symbols["pipelineSync"]
    flush = try symbols["flush"]
    consumeInput = try symbols["consumeInput"]
    isBusy = try symbols["isBusy"]
    getCopyData = try symbols["getCopyData"]
    getCancel = try symbols["getCancel"]
    cancel = try symbols["cancel"]
    freeCancel = try symbols["freeCancel"]
    getResult = try symbols["getResult"]
    clear = try symbols["clear"]
    resultStatus = try symbols["resultStatus"]
    resultErrorField = try symbols["resultErrorField"]
    cmdStatus = try symbols["cmdStatus"]
    ntuples = try symbols["ntuples"]
    nfields = try symbols["nfields"]
    fname = try symbols["fname"]
    ftype = try symbols["ftype"]
    fformat = try symbols["fformat"]
    getisnull = try symbols["getisnull"]
    getlength = try symbols["getlength"]
    getvalue = try symbols["getvalue"]
  }
}

/// A loaded library, by the names of its functions.
private struct LibrarySymbols {
  let handle: UnsafeMutableRawPointer
  let name: String

  subscript<Function>(_ function: String) -> Function {
    get throws(PostgreSQLError) {
      guard let symbol = dlsym(handle, "PQ" + function) else {
        throw PostgreSQLError(
          .libraryMissing,
          "\(name) has no function PQ\(function), so it is older than version 14. "
            + LibraryNames.advice
        )
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
  }
}

/// The values of libpq's enumerations that the client uses; a test compares them with the header.
package enum LibPQConstant {
  package static let connectionOK: UInt32 = 0
  package static let pollingFailed: UInt32 = 0
  package static let pollingReading: UInt32 = 1
  package static let pollingWriting: UInt32 = 2
  package static let pollingOK: UInt32 = 3
  package static let commandOK: UInt32 = 1
  package static let tuplesOK: UInt32 = 2
  package static let copyOut: UInt32 = 3
  package static let fatalError: UInt32 = 7
  package static let pipelineSync: UInt32 = 10
  package static let pipelineAborted: UInt32 = 11
  package static let transactionIdle: UInt32 = 0
  /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`.
  package static let sqlStateField = Int32(UInt8(ascii: "C"))
  package static let messageField = Int32(UInt8(ascii: "M"))
}
