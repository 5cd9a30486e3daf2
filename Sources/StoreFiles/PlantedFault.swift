/// The faults that the fault harness plants into the stores, to see that it finds each of them.
///
/// They are there only in a build with `-D PLANTED_FAULTS`, which the harness makes for itself, and
/// only for the process whose environment names one in `OPENSWIFTDATA_PLANTED_FAULT`.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// Files are not brought to the medium.
  case noSync
  /// Folders are not brought to the medium.
  case noFolderSync
  /// The journal of a JSON store is not brought to the medium.
  case noJournalSync
  /// Large values are not brought to the medium before the row that names them.
  case noValueSync
  /// Temporary files are left behind.
  case keepsTemporaryFiles
  /// Nobody is kept out by a store's lock.
  case noLock
  /// A file that another has put in the place of the store's is taken for it.
  case trustsReplacedFiles
  /// The checksum of a journal's record is not looked at.
  case noJournalChecksum
  /// A sync that failed is tried again, and believed.
  case retriesSync
  /// A failure after the point of no return is said to have changed nothing.
  case deniesUnknownOutcome
  /// A change stays although the save that made it failed.
  case noRollback
  /// SQLite brings a commit to the medium at the next checkpoint alone.
  case normalSynchronous
  /// SQLite begins a save without the lock for writing, and shares the store's with others.
  case deferredBegin
  /// Names stand in SQL as they are.
  case unquotedNames
  /// A save does not look at whether another has changed its rows.
  case noVersionCheck

  /// Whether this process has the fault.
  package var isPlanted: Bool {
    #if PLANTED_FAULTS
      Self.planted == self
    #else
      false
    #endif
  }
}

#if PLANTED_FAULTS
  import Foundation

  extension PlantedFault {
    private static let planted = ProcessInfo.processInfo
      .environment["OPENSWIFTDATA_PLANTED_FAULT"].flatMap(Self.init)
  }
#endif
