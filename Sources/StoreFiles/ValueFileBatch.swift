import Foundation
import StoreProtocol

/// The value files that one save writes, and those that it leaves without a row.
///
/// A save calls ``syncNames()`` before it commits and ``commit(isDurable:)`` afterward, or
/// ``rollBack(after:)`` if it failed. If the outcome is unknown, all files are kept, because rows
/// may name them: the next open for writing removes the unused ones.
package final class ValueFileBatch {
  /// The length in bytes above which a value is stored in a file.
  package let threshold: Int
  private let files: ValueFiles
  private var written: Set<String> = []
  private var others: [String] = []

  /// The references that the rows of the save no longer contain; the store removes those that other
  /// rows contain.
  package private(set) var released: Set<FileReference> = []

  /// Creates a batch without files.
  package init(_ files: ValueFiles, threshold: Int) {
    self.files = files
    self.threshold = threshold
  }

  /// Writes bytes to a separate file.
  ///
  /// - Throws: `DataStoreError.notSaved` with the property of the value, or
  ///   `DataStoreError.invalidValue` if the value is larger than the configuration allows.
  package func write(
    _ bytes: UnsafeRawBufferPointer,
    entity: String,
    property: String
  ) throws -> FileReference {
    guard bytes.count <= files.maximumSize else {
      throw DataStoreError(
        .invalidValue,
        "the value has \(bytes.count) bytes; maximumExternalValueSize allows "
          + "\(files.maximumSize); store less, or open the store with a larger limit",
        entity: entity,
        property: property
      )
    }
    do throws(FileError) {
      let reference = try files.write(bytes)
      written.insert(reference.name)
      return reference
    } catch {
      throw Self.refused(error, entity: entity, property: property)
    }
  }

  /// Records that a row no longer names a file.
  package func release(_ reference: FileReference) {
    released.insert(reference)
  }

  /// Releases all files, for a save that deletes all rows.
  ///
  /// - Parameter references: A closure that returns the references in the rows. It is called only
  ///   if there are files whose names do not prove that the store wrote them.
  /// - Throws: `DataStoreError.notSaved`, or the errors of `references`.
  package func releaseAll(_ references: () throws -> Set<FileReference>) throws {
    let isComplete: Bool
    do throws(FileError) {
      others = try files.ownNames()
      isComplete = try files.names().count == others.count
    } catch {
      throw Self.refused(error)
    }
    if !isComplete { released.formUnion(try references()) }
  }

  /// Cancels the release of a file that is still named.
  package func keep(_ reference: FileReference) {
    released.remove(reference)
  }

  /// Discards the files that the save has written so far, and starts again.
  package func restart() {
    if !written.isEmpty { files.remove(written) }
    written = []
    released = []
  }

  /// Syncs the names of new files to disk.
  ///
  /// - Throws: `DataStoreError.notSaved`.
  package func syncNames() throws {
    do throws(FileError) {
      if !written.isEmpty { try files.syncNames() }
    } catch {
      throw Self.refused(error)
    }
  }

  /// Removes files that no row names any more, after the save cannot be undone.
  ///
  /// - Parameter isDurable: Whether this also holds after a loss of power; otherwise the files are
  ///   kept until ``ValueFiles/noteDurable()``.
  package func commit(isDurable: Bool) {
    if released.isEmpty, others.isEmpty { return }
    files.remove(others, released, isDurable: isDurable)
  }

  /// Removes the written files, unless the save may have succeeded.
  package func rollBack(after error: any Error) {
    if (error as? DataStoreError) != .outcomeUnknown { files.remove(written) }
  }

  private static func refused(
    _ error: FileError,
    entity: String? = nil,
    property: String? = nil
  ) -> DataStoreError {
    DataStoreError(
      error.isReplaced ? .storeReplaced : .notSaved,
      error.isReplaced
        ? "the folder of value files was moved or replaced while the store was open; nothing was "
          + "saved: restore it and save again, or open the store again"
        : "the system refused to write the file of a value; nothing was saved: save again",
      entity: entity,
      property: property,
      file: error.path,
      cause: error
    )
  }
}
