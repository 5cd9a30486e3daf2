import Foundation
import StoreProtocol

/// The file that a store reads: a private copy with its log or journal, or the file itself.
///
/// SQLite writes next to a database whose log it reads, and into one whose writer was interrupted,
/// as its journal says. The source is never written. Therefore it
/// is copied to a folder that only this user can access. The folder is removed with the last store
/// that reads it.
final class SourceCopy: Sendable {
  /// The file to read.
  let file: URL
  /// Whether the file is the source itself.
  let isSource: Bool
  private let folder: URL?

  /// Prepares the file of a source.
  ///
  /// - Parameters:
  ///   - source: The store's file.
  ///   - isInPlace: Whether to read the file itself. A log or journal that holds anything is then
  ///     refused.
  /// - Throws: ``DataStoreError/storeNotTrusted`` for a link, a folder or no plain file,
  ///   ``DataStoreError/invalidConfiguration`` for a log in place,
  ///   ``DataStoreError/storeBusy`` if the files change while they are copied, or
  ///   ``DataStoreError/io``.
  init(of source: URL, isInPlace: Bool) throws {
    let state = try Self.state(of: source)
    guard state[0] != nil else {
      throw DataStoreError(.storeNotFound, "the file does not exist", file: source.path)
    }
    isSource = isInPlace
    if isInPlace {
      guard state.dropFirst().allSatisfy({ $0?.size ?? 0 == 0 }) else {
        throw DataStoreError(
          .invalidConfiguration,
          "the store has a log or a journal, which cannot be read in place; open it without 'inplace'",
          file: source.path
        )
      }
      file = source
      folder = nil
      return
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "coredata-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    self.folder = folder
    file = folder.appending(path: "store.sqlite")
    do {
      try Self.copy(source, to: file)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  deinit {
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// The endings of the names of a database, its log and its journal.
  private static let endings = ["", "-wal", "-journal"]

  /// Copies a database with its log or journal, and repeats this if one changed in the meantime.
  private static func copy(_ source: URL, to file: URL) throws {
    for _ in 0..<3 {
      let before = try state(of: source)
      do {
        for (ending, status) in zip(endings, before) {
          let copied = file.path + ending
          try? FileManager.default.removeItem(atPath: copied)
          guard status != nil else { continue }
          try FileManager.default.copyItem(atPath: source.path + ending, toPath: copied)
          try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copied)
        }
      } catch {
        throw DataStoreError(.io, "the file cannot be copied", file: source.path, cause: error)
      }
      if before == (try state(of: source)) { return }
    }
    throw DataStoreError(
      .storeBusy,
      "the file changes while it is copied; try again when no program writes it",
      file: source.path
    )
  }

  private struct Status: Equatable {
    let size: Int
    let modified: Date
  }

  /// Returns the status of a database, its log and its journal.
  private static func state(of source: URL) throws -> [Status?] {
    try endings.map { try status(URL(filePath: source.path + $0)) }
  }

  /// Returns the size and modification date of a regular file, or `nil` if there is none.
  private static func status(_ url: URL) throws -> Status? {
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return nil
    } catch {
      throw DataStoreError(.io, "the file cannot be read", file: url.path, cause: error)
    }
    let type = attributes[.type] as? FileAttributeType
    guard type == .typeRegular else {
      let reason =
        type == .typeDirectory
        ? "the path is a folder; add the name of a file" : "this is a link or not a regular file"
      throw DataStoreError(.storeNotTrusted, reason, file: url.path)
    }
    return Status(
      size: attributes[.size] as? Int ?? 0,
      modified: attributes[.modificationDate] as? Date ?? .distantPast
    )
  }
}
