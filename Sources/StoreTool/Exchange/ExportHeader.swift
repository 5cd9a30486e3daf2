import CommandLineSupport
import Foundation
import OpenSwiftData

/// The first line of an export, which describes the lines below.
struct ExportHeader: Codable {
  /// The value of `$format`.
  static let name = "OpenSwiftData rows"

  let format: String
  let version: Int
  let schema: StoreSchema
  /// The key that no object of the store had yet, or `nil` if it is unknown.
  let nextKey: Int64?

  private enum CodingKeys: String, CodingKey {
    case format = "$format"
    case version, schema, nextKey
  }

  init(schema: StoreSchema, nextKey: Int64?) {
    (format, version) = (Self.name, 1)
    (self.schema, self.nextKey) = (schema, nextKey)
  }

  /// Parses a line with the member `$format`, or returns `nil` for any other.
  ///
  /// - Throws: `CommandFailure` for the header of another format.
  static func read(_ line: [UInt8]) throws -> ExportHeader? {
    struct Mark: Decodable {
      let format: String?
      let version: Int?

      enum CodingKeys: String, CodingKey {
        case format = "$format"
        case version
      }
    }
    let data = Data(line)
    guard let mark = try? JSONDecoder().decode(Mark.self, from: data), let format = mark.format
    else { return nil }
    guard format == name else { throw CommandFailure("the file is '\(format)', not '\(name)'") }
    guard mark.version == 1 else {
      throw CommandFailure(
        "the file has version \(mark.version ?? 0) of its format; this program reads version 1"
      )
    }
    return try JSONDecoder().decode(ExportHeader.self, from: data)
  }
}
