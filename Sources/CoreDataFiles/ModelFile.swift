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
  ///   - limits: The bounds within which the files are read.
  /// - Returns: The model.
  /// - Throws: ``FormatError`` if the file is no model or no version fits; Foundation's error if it
  ///   cannot be read.
  package static func read(
    _ url: URL,
    matching hashes: [String: [UInt8]] = [:],
    limits: ReadingLimits = ReadingLimits()
  ) throws -> ManagedModel {
    switch url.pathExtension {
    case "mom": return try compiled(url, limits: limits)
    case "xcdatamodel":
      return try ManagedModel(
        source: bytes(url.appending(path: "contents"), limits),
        limits: limits
      )
    case "momd": return try compiledVersion(url, matching: hashes, limits: limits)
    case "xcdatamodeld":
      return try read(folder: url, name: currentSource(in: url, limits: limits), limits: limits)
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
  /// others that can be read. Every other file has the model that ``read(_:matching:limits:)`` reads.
  ///
  /// - Throws: What reading the first model throws.
  package static func versions(
    _ url: URL,
    matching hashes: [String: [UInt8]] = [:],
    limits: ReadingLimits = ReadingLimits()
  ) throws -> [ManagedModel] {
    var models = [try read(url, matching: hashes, limits: limits)]
    guard url.pathExtension == "xcdatamodeld" else { return models }
    let current = try currentSource(in: url, limits: limits)
    for name in try sources(in: url) where name != current {
      if let model = try? read(folder: url, name: name, limits: limits) { models.append(model) }
    }
    return models
  }

  /// Returns the name of the current version in a `.xcdatamodeld`, which need not say it if it has
  /// only one.
  private static func currentSource(in folder: URL, limits: ReadingLimits) throws -> String {
    let names = try sources(in: folder)
    let note = folder.appending(path: ".xccurrentversion")
    if names.count == 1, !FileManager.default.fileExists(atPath: note.path) { return names[0] }
    return try currentVersion(bytes(note, limits), key: "_XCCurrentVersionName", limits: limits)
  }

  private static func sources(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".xcdatamodel") }.sorted()
  }

  private static func compiled(_ url: URL, limits: ReadingLimits) throws -> ManagedModel {
    let bytes = try bytes(url, limits)
    guard PropertyList.isPropertyList(bytes) else {
      throw FormatError(
        .model,
        "'\(url.lastPathComponent)' is not a compiled model, which is a keyed archive",
        at: 0
      )
    }
    return try ManagedModel(archive: bytes, limits: limits)
  }

  private static func compiledVersion(
    _ url: URL,
    matching hashes: [String: [UInt8]],
    limits: ReadingLimits
  ) throws -> ManagedModel {
    let information = try bytes(url.appending(path: "VersionInfo.plist"), limits)
    var name = try currentVersion(
      information,
      key: "NSManagedObjectModel_CurrentVersionName",
      limits: limits
    )
    if !hashes.isEmpty, let versions = try versionHashes(information, limits: limits) {
      guard let match = versions.first(where: { $0.value == hashes }) else {
        throw FormatError(
          .model,
          "no version in '\(url.lastPathComponent)' has the hashes of the store's entities; "
            + "it has \(versions.keys.sorted().joined(separator: ", "))"
        )
      }
      name = match.key
    }
    return try read(folder: url, name: name + ".mom", limits: limits)
  }

  /// Reads a version that a folder names; the path never leaves the folder.
  private static func read(
    folder: URL,
    name: String,
    limits: ReadingLimits
  ) throws -> ManagedModel {
    guard !name.contains("/"), !name.hasPrefix(".") else {
      throw FormatError(.model, "'\(folder.lastPathComponent)' names the version '\(name)'")
    }
    let url = folder.appending(path: name)
    guard url.pathExtension == "mom" || url.pathExtension == "xcdatamodel" else {
      throw FormatError(.model, "'\(folder.lastPathComponent)' names the version '\(name)'")
    }
    return try read(url, limits: limits)
  }

  /// Returns the string of a key in a property list, binary or XML.
  private static func currentVersion(
    _ bytes: [UInt8],
    key: String,
    limits: ReadingLimits
  ) throws -> String {
    if PropertyList.isPropertyList(bytes) {
      if case .string(let name)? = try PropertyList(bytes, limits: limits)[key] { return name }
    } else if let name = try value(of: key, in: XMLElement(bytes, limits: limits))?.text {
      return name
    }
    throw FormatError(.propertyList, "it does not say which version is current ('\(key)')")
  }

  private static func versionHashes(
    _ bytes: [UInt8],
    limits: ReadingLimits
  ) throws -> [String: [String: [UInt8]]]? {
    guard PropertyList.isPropertyList(bytes) else {
      let root = try XMLElement(bytes, limits: limits)
      guard let versions = value(of: "NSManagedObjectModel_VersionHashes", in: root) else {
        return nil
      }
      return entries(of: versions).mapValues { version in
        entries(of: version).mapValues { hash in
          [UInt8](Data(base64Encoded: hash.text, options: .ignoreUnknownCharacters) ?? Data())
        }
      }
    }
    let list = try PropertyList(bytes, limits: limits)
    guard let versions = list["NSManagedObjectModel_VersionHashes"] else { return nil }
    var result: [String: [String: [UInt8]]] = [:]
    for (name, version) in entries(of: versions, in: list) {
      for case (let entity, .data(let hash)) in entries(of: version, in: list) {
        result[name, default: [:]][entity] = hash
      }
    }
    return result
  }

  private static func entries(
    of object: PropertyList.Object,
    in list: PropertyList
  ) -> [(String, PropertyList.Object)] {
    guard case .dictionary(let keys, let values) = object else { return [] }
    return zip(keys, values).compactMap { key, value in
      guard case .string(let name) = list.objects[Int(key)] else { return nil }
      return (name, list.objects[Int(value)])
    }
  }

  /// Returns the entries of a `dict` element, whose keys and values alternate.
  private static func entries(of element: XMLElement) -> [String: XMLElement] {
    var result: [String: XMLElement] = [:]
    for (key, value) in zip(element.children, element.children.dropFirst()) where key.name == "key"
    {
      result[key.text] = value
    }
    return result
  }

  private static func value(of key: String, in root: XMLElement) -> XMLElement? {
    root.children("dict").first.flatMap { entries(of: $0)[key] }
  }

  private static func bytes(_ url: URL, _ limits: ReadingLimits) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    let bytes = [UInt8](try file.read(upToCount: limits.size + 1) ?? Data())
    guard bytes.count <= limits.size else {
      throw FormatError(.model, "'\(url.lastPathComponent)' exceeds \(limits.size) bytes")
    }
    return bytes
  }
}
