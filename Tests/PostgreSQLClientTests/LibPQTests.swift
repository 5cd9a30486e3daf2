import Foundation
import PostgreSQLTestSupport
import Testing

@testable import PostgreSQLClient

@Suite("libpq")
struct LibPQTests {
  private static let header = [
    "/usr/include/postgresql/libpq-fe.h", "/usr/include/libpq-fe.h",
    "/opt/homebrew/opt/libpq/include/libpq-fe.h",
  ].first { FileManager.default.fileExists(atPath: $0) }

  @Test
  func `a server and libpq are installed if they are required`() {
    #expect(PrivateCluster.isAvailable || !PrivateCluster.isRequired)
  }

  @Test
  func `a missing library is an error that says what to install`() {
    let error = #expect(throws: PostgreSQLError.self) {
      try LibPQ(candidates: ["libpq-of-nobody.so.5"])
    }
    #expect(error?.kind == .libraryMissing)
    #expect(error?.message.contains("libpq-of-nobody.so.5") == true)
    #expect(error?.message.contains(LibraryNames.advice) == true)
  }

  @Test
  func `a library without the functions is an error that names the first missing function`() {
    let error = #expect(throws: PostgreSQLError.self) { try LibPQ(candidates: ["libc.so.6"]) }
    #expect(error?.kind == .libraryMissing)
    #if os(Linux)
      #expect(error?.message.contains("PQlibVersion") == true)
    #endif
  }

  @Test(.enabled(if: header != nil && PrivateCluster.isAvailable, "no libpq-fe.h is installed"))
  func `all functions have the types of the header`() throws {
    let header = try CHeader(path: try #require(Self.header))
    let functions = Mirror(reflecting: try LibPQ.load()).children
    #expect(functions.count == 41)
    for function in functions {
      let name = "PQ" + (try #require(function.label))
      let type = String(reflecting: Swift.type(of: function.value))
        .replacing("@convention(c) @Sendable ", with: "@convention(c) ")
      #expect(try header.swiftType(of: name) == type, "\(name)")
    }
  }

  @Test(.enabled(if: header != nil, "no libpq-fe.h is installed"))
  func `the constants have the values of the header`() throws {
    let header = try CHeader(path: try #require(Self.header))
    let status = try header.cases(of: "ExecStatusType")
    #expect(status["PGRES_COMMAND_OK"] == LibPQConstant.commandOK)
    #expect(status["PGRES_TUPLES_OK"] == LibPQConstant.tuplesOK)
    #expect(status["PGRES_COPY_OUT"] == LibPQConstant.copyOut)
    #expect(status["PGRES_FATAL_ERROR"] == LibPQConstant.fatalError)
    #expect(status["PGRES_PIPELINE_SYNC"] == LibPQConstant.pipelineSync)
    #expect(status["PGRES_PIPELINE_ABORTED"] == LibPQConstant.pipelineAborted)
    let polling = try header.cases(of: "PostgresPollingStatusType")
    #expect(polling["PGRES_POLLING_FAILED"] == LibPQConstant.pollingFailed)
    #expect(polling["PGRES_POLLING_READING"] == LibPQConstant.pollingReading)
    #expect(polling["PGRES_POLLING_WRITING"] == LibPQConstant.pollingWriting)
    #expect(polling["PGRES_POLLING_OK"] == LibPQConstant.pollingOK)
    #expect(try header.cases(of: "ConnStatusType")["CONNECTION_OK"] == LibPQConstant.connectionOK)
    let transaction = try header.cases(of: "PGTransactionStatusType")
    #expect(transaction["PQTRANS_IDLE"] == LibPQConstant.transactionIdle)
  }
}

/// The declarations of a C header, limited to the forms in libpq's header.
private struct CHeader {
  private let source: String

  init(path: String) throws {
    source = try String(contentsOfFile: path, encoding: .utf8)
      .replacing(#/\/\*(.|\n)*?\*\//#, with: "").replacing(#/\s+/#, with: " ")
  }

  struct Missing: Error {
    let name: String
  }

  func swiftType(of function: String) throws -> String {
    let pattern = try Regex(
      "extern ([^;()]*?)\\b\(function) ?\\(([^;]*?)\\);",
      as: (Substring, Substring, Substring).self
    )
    guard let match = source.firstMatch(of: pattern) else { throw Missing(name: function) }
    let (_, result, list) = match.output
    let parameters =
      list == "void"
      ? []
      : list.split(separator: ",").map { parameter in
        // The name of the parameter is its last word.
        Self.swiftType(parameter.replacing(#/\w+ ?$/#, with: ""))
      }
    return "@convention(c) (\(parameters.joined(separator: ", "))) -> \(Self.swiftType(result))"
  }

  private static func swiftType(_ type: some StringProtocol) -> String {
    let name = String(type.filter { $0 != " " })
    let integer = "Swift.Int32", character = "Swift.Int8"
    return switch name {
    case "void": "()"
    case "int": integer
    case "char*": "Swift.Optional<Swift.UnsafeMutablePointer<\(character)>>"
    case "char**": "Swift.Optional<Swift.UnsafeMutablePointer<\(swiftType("char*"))>>"
    case "constchar*": "Swift.Optional<Swift.UnsafePointer<\(character)>>"
    case "constchar*const*":
      "Swift.Optional<Swift.UnsafePointer<Swift.Optional<Swift.UnsafePointer<\(character)>>>>"
    case "constint*": "Swift.Optional<Swift.UnsafePointer<\(integer)>>"
    case "constOid*": "Swift.Optional<Swift.UnsafePointer<Swift.UInt32>>"
    case "void*", "PGnotify*": "Swift.Optional<Swift.UnsafeMutableRawPointer>"
    case "Oid", "ConnStatusType", "ExecStatusType", "PostgresPollingStatusType",
      "PGTransactionStatusType":
      "Swift.UInt32"
    case "PGconn*", "PGresult*", "constPGresult*", "constPGconn*", "PGcancel*":
      "Swift.Optional<Swift.OpaquePointer>"
    case "PQnoticeProcessor":
      "Swift.Optional<@convention(c) (Swift.Optional<Swift.UnsafeMutableRawPointer>, "
        + "Swift.Optional<Swift.UnsafePointer<\(character)>>) -> ()>"
    default: "unknown C type \(name)"
    }
  }

  /// The values of an enumeration, which count from zero.
  func cases(of name: String) throws -> [String: UInt32] {
    let pattern = try Regex(
      "typedef enum \\{ ([^}]*) \\} \(name);",
      as: (Substring, Substring).self
    )
    guard let match = source.firstMatch(of: pattern) else { throw Missing(name: name) }
    let names = match.output.1.split(separator: ",").map {
      String($0.split(separator: "=")[0].filter { $0 != " " })
    }
    return Dictionary(uniqueKeysWithValues: zip(names, (0 as UInt32)...))
  }
}
