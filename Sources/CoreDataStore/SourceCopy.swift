import Foundation
import StoreProtocol

/// The file that a store reads: a private copy with its log, or the file itself.
///
/// SQLite writes next to a database whose log it reads. The source is never written. Therefore it
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
  ///   - isInPlace: Whether to read the file itself. A log that holds anything is then refused.
  /// - Throws: ``DataStoreError/storeNotTrusted`` for a link or no plain file,
  ///   ``DataStoreError/invalidConfiguration`` for a log in place,
  ///   ``DataStoreError/storeBusy`` if the files change while they are copied, or
  ///   ``DataStoreError/io``.
  init(of source: URL, isInPlace: Bool) throws {
    let log = URL(filePath: source.path + "-wal")
    let status = try Self.status(source)
    guard status != nil else {
      throw DataStoreError(.io, "the file does not exist", file: source.path)
    }
    let logStatus = try Self.status(log)
    isSource = isInPlace
    if isInPlace {
      guard logStatus?.size ?? 0 == 0 else {
        throw DataStoreError(
          .invalidConfiguration,
          "the store has a log (-wal), which cannot be read in place; open it without 'inplace'",
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
      try Self.copy(source, log, to: file)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  deinit {
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Copies a database and its log, and repeats this if either changed in the meantime.
  private static func copy(_ source: URL, _ log: URL, to file: URL) throws {
    let logCopy = URL(filePath: file.path + "-wal")
    for _ in 0..<3 {
      let before = (try status(source), try status(log))
      for copied in [file, logCopy] { try? FileManager.default.removeItem(at: copied) }
      do {
        try FileManager.default.copyItem(at: source, to: file)
        if before.1 != nil { try FileManager.default.copyItem(at: log, to: logCopy) }
        for copied in before.1 == nil ? [file] : [file, logCopy] {
          try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: copied.path
          )
        }
      } catch {
        throw DataStoreError(.io, "the file cannot be copied", file: source.path, cause: error)
      }
      if before == (try status(source), try status(log)) { return }
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
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw DataStoreError(.storeNotTrusted, "this is a link or not a regular file", file: url.path)
    }
    return Status(
      size: attributes[.size] as? Int ?? 0,
      modified: attributes[.modificationDate] as? Date ?? .distantPast
    )
  }
}
