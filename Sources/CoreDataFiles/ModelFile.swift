import Foundation

/// A managed object model in a file: `.mom`, `.momd`, `.xcdatamodel` or `.xcdatamodeld`.
package enum ModelFile {
  /// Reads a model.
  ///
  /// A `.momd` or `.xcdatamodeld` has several versions. The one whose hashes equal the store's is
  /// taken, or the current one if there are no hashes to compare with.
  ///
  /// - Parameters:
  ///   - url: The file or the folder.
  ///   - hashes: The hash of each entity, from the store's metadata; empty if unknown.
  /// - Returns: The model.
  /// - Throws: ``FormatError`` if the file is no model or no version fits; Foundation's error if it
  ///   cannot be read.
  package static func read(
    _ url: URL,
    matching hashes: [String: [UInt8]] = [:]
  ) throws -> ManagedModel {
    switch url.pathExtension {
    case "mom": return try compiled(url)
    case "xcdatamodel": return try ManagedModel(source: bytes(url.appending(path: "contents")))
    case "momd": return try compiledVersion(url, matching: hashes)
    case "xcdatamodeld": return try read(folder: url, name: currentSource(in: url))
    default:
      throw FormatError(
        .model,
        "'\(url.lastPathComponent)' is not a .mom, .momd, .xcdatamodel or .xcdatamodeld"
      )
    }
  }

  /// Reads the models of a file, the most likely one first.
  ///
  /// Sources have no hashes to compare with: a `.xcdatamodeld` has its current version and then the
  /// others that can be read. Every other file has the model that ``read(_:matching:)`` reads.
  ///
  /// - Throws: What reading the first model throws.
  package static func versions(
    _ url: URL,
    matching hashes: [String: [UInt8]] = [:]
  ) throws -> [ManagedModel] {
    let first = try read(url, matching: hashes)
    guard url.pathExtension == "xcdatamodeld" else { return [first] }
    let current = try currentSource(in: url)
    let others = try sources(in: url).filter { $0 != current }
    return [first] + others.compactMap { try? read(folder: url, name: $0) }
  }

  /// Reads a file as a whole.
  ///
  /// - Throws: ``FormatError`` if it exceeds the limit of the size.
  package static func bytes(_ url: URL) throws -> [UInt8] {
    let limit = ReadingLimits().size
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    let bytes = [UInt8](try file.read(upToCount: limit + 1) ?? Data())
    guard bytes.count <= limit else {
      throw FormatError(.model, "'\(url.lastPathComponent)' exceeds \(limit) bytes")
    }
    return bytes
  }

  /// Returns the name of the current version in a `.xcdatamodeld`, which need not say it if it has
  /// only one.
  private static func currentSource(in folder: URL) throws -> String {
    let names = try sources(in: folder)
    let note = folder.appending(path: ".xccurrentversion")
    if names.count == 1, !FileManager.default.fileExists(atPath: note.path) { return names[0] }
    return try Versions(at: note).current
  }

  private static func sources(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".xcdatamodel") }.sorted()
  }

  private static func compiled(_ url: URL) throws -> ManagedModel {
    let bytes = try bytes(url)
    guard PropertyList.isPropertyList(bytes) else {
      throw FormatError(
        .model,
        "'\(url.lastPathComponent)' is not a compiled model, which is a keyed archive",
        at: 0
      )
    }
    return try ManagedModel(archive: bytes)
  }

  private static func compiledVersion(
    _ url: URL,
    matching hashes: [String: [UInt8]]
  ) throws -> ManagedModel {
    let list = try Versions(at: url.appending(path: "VersionInfo.plist"))
    var name = try list.current
    if !hashes.isEmpty, let versions = list.hashes {
      guard let match = versions.first(where: { $0.value.mapValues([UInt8].init) == hashes }) else {
        throw FormatError(
          .model,
          "no version in '\(url.lastPathComponent)' has the hashes of the store's entities; "
            + "it has \(versions.keys.sorted().joined(separator: ", "))"
        )
      }
      name = match.key
    }
    return try read(folder: url, name: name + ".mom")
  }

  /// Reads a version that a folder names; the path never leaves the folder.
  private static func read(folder: URL, name: String) throws -> ManagedModel {
    let url = folder.appending(path: name)
    guard !name.contains("/"), !name.hasPrefix("."),
      url.pathExtension == "mom" || url.pathExtension == "xcdatamodel"
    else {
      throw FormatError(.model, "'\(folder.lastPathComponent)' names the version '\(name)'")
    }
    return try read(url)
  }

  /// The property list that names the current version in a `.momd` or `.xcdatamodeld`.
  private struct Versions: Decodable {
    private let compiled: String?
    private let source: String?
    /// The hashes of the entities of each version.
    let hashes: [String: [String: Data]]?

    private enum CodingKeys: String, CodingKey {
      case compiled = "NSManagedObjectModel_CurrentVersionName"
      case source = "_XCCurrentVersionName"
      case hashes = "NSManagedObjectModel_VersionHashes"
    }

    init(at url: URL) throws {
      do {
        self = try PropertyListDecoder().decode(Self.self, from: Data(bytes(url)))
      } catch let error as DecodingError {
        throw FormatError(.propertyList, "'\(url.lastPathComponent)' cannot be read: \(error)")
      }
    }

    /// The name of the current version.
    var current: String {
      get throws(FormatError) {
        if let name = compiled ?? source { return name }
        throw FormatError(.propertyList, "it does not say which version is current")
      }
    }
  }
}
