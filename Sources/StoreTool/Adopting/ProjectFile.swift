import CommandLineSupport
import Foundation

/// The objects of a file `project.pbxproj`.
///
/// Objects refer to others by identifiers. References to objects that do not exist are ignored, as
/// in Xcode.
struct ProjectFile {
  /// An object: the value of a key in the file's dictionary of objects.
  struct Object {
    let id: String
    let fields: [String: Any]

    func text(_ key: String) -> String? { fields[key] as? String }
    func texts(_ key: String) -> [String] {
      (fields[key] as? [Any])?.compactMap { $0 as? String } ?? []
    }
  }

  /// The project's file, for messages.
  let path: String
  private let objects: [String: [String: Any]]
  /// The object of the project itself.
  let root: Object

  private static let sizeLimit = 64 << 20

  /// Reads the file of a project.
  ///
  /// - Throws: `CommandFailure` if it cannot be read, is not a property list in Xcode's form, or has
  ///   no project.
  init(contentsOf file: URL) throws {
    path = file.path(percentEncoded: false)
    let bytes = try SourceFile.bytes(of: file, limit: Self.sizeLimit)
    // Xcode writes the old form only, whose reader limits the depth of nesting.
    guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "{") else {
      throw CommandFailure(
        "\(path) is not in the form that Xcode writes; save the project in Xcode"
      )
    }
    let list: Any
    do {
      list = try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
    } catch {
      throw CommandFailure("\(path) is damaged: \(Self.reason(error))")
    }
    objects = (list as? [String: Any])?["objects"] as? [String: [String: Any]] ?? [:]
    guard let id = (list as? [String: Any])?["rootObject"] as? String, let fields = objects[id]
    else { throw CommandFailure("\(path) has no project") }
    root = Object(id: id, fields: fields)
  }

  func object(_ id: String?) -> Object? {
    guard let id, let fields = objects[id] else { return nil }
    return Object(id: id, fields: fields)
  }

  /// Returns the objects to which a key of an object refers.
  func objects(_ key: String, of object: Object) -> [Object] {
    object.texts(key).compactMap { self.object($0) }
  }

  private static func reason(_ error: any Error) -> String {
    let inner = (error as NSError).userInfo["kCFPropertyListOldStyleParsingError"] as? NSError
    return inner?.userInfo[NSDebugDescriptionErrorKey] as? String ?? "it is not a property list"
  }
}
