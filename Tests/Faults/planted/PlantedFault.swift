import Foundation

/// The fault that this process shows, of those that the patches beside this file plant.
private let planted = ProcessInfo.processInfo.environment["OPENSWIFTDATA_PLANTED_FAULT"]

/// Returns whether this process shows a fault.
///
/// The harness copies this file into each target that a patch changes.
func isPlanted(_ fault: String) -> Bool { planted == fault }
