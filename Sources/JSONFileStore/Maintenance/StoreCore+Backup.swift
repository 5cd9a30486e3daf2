import Foundation
import StoreFiles
import StoreProtocol

extension StoreCore {
  /// Writes a copy of the store, as of one moment, to an unused location.
  ///
  /// - Throws: `invalidConfiguration` for an invalid location, `io` if the location is in use or
  ///   the system fails, `storeDamaged` if rows or values cannot be read; then nothing is left
  ///   there.
  func backup(to url: URL, access: any FileAccess) throws {
    try valueFiles.beginReading(patience: 0)
    defer { valueFiles.endReading() }
    let moment = try moment()
    let target = url.path(percentEncoded: false)
    let (folderPath, name) = FileName.split(target)
    if let objection = url.isFileURL
      ? FileName.objection(toPath: target) : "a copy needs a file URL"
    {
      throw DataStoreError(.invalidConfiguration, objection, file: target)
    }
    let references = try moment.state.references(file: path)
    do {
      let folder = try Folder(path: folderPath, access: access)
      let destination = try NewStoreLocation(name, in: folder, companions: [".journal"])
      do {
        try destination.copy(references, from: valueFiles)
        try write(moment, to: folder.open(destination.temporaryName, for: .updating))
        try destination.publish()
      } catch {
        destination.withdraw()
        throw error
      }
    } catch {
      throw Self.refusedBackup(error)
    }
  }

  private func write(_ moment: StoreMoment, to file: File) throws(FileError) {
    // A journal that is mistakenly placed beside the copy then names another document of the same
    // generation, and is rejected.
    _ = try draft(of: moment.state).write(generation: moment.generation, to: file)
    try file.sync()
  }

  private static func refusedBackup(_ error: any Error) -> any Error {
    switch error {
    case let error as ValueFileError: error.translated(entity: nil, property: nil)
    case let error as FileError where error.isAlreadyExisting:
      DataStoreError(
        .io,
        "the file already exists, and a copy never replaces files: choose another name",
        file: error.path,
        cause: error
      )
    case let error as FileError: StoreErrors.translated(error)
    default: error
    }
  }
}
