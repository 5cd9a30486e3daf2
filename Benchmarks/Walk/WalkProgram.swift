import Foundation
import OpenSwiftData

@_silgen_name("__llvm_profile_reset_counters")
private func resetCounters()
@_silgen_name("__llvm_profile_set_filename")
private func setProfile(_ path: UnsafePointer<CChar>)
@_silgen_name("__llvm_profile_write_file")
private func writeProfile() -> Int32

/// The program of `Scripts/walk`: does everyday work in a store, and writes a profile of each piece.
///
/// Each piece is done once before it is counted, so that the profile has the everyday way and not that
/// of an opening.
@main
enum WalkProgram {
  static func main() throws {
    let (url, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let container = try ModelContainer(for: Trip.self, store: url)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let trip = Trip("Alps", nights: 3)
    context.insert(trip)
    try context.save()

    try walk("set-and-save", folder) { number in
      trip.nights = 4 + number
      try context.save()
    }
    try walk("insert-and-save", folder) { number in
      context.insert(Trip("Fjords \(number)", nights: 7))
      try context.save()
    }
    try walk("fetch", folder) { _ in
      let isLong = #Predicate<Trip> { $0.nights > 3 }
      let descriptor = FetchDescriptor(predicate: isLong, sortBy: [SortDescriptor(\.name)])
      let trips = try ModelContext(container).fetch(descriptor)
      guard trips.reduce(0, { $0 + $1.nights }) > 0 else { throw CocoaError(.coderInvalidValue) }
    }
    try walk("delete-and-save", folder) { number in
      let descriptor = FetchDescriptor(predicate: Trip.named("Fjords \(number)"))
      context.delete(try context.fetch(descriptor)[0])
      try context.save()
    }
    // Otherwise the store is closed, which counts, when the last piece is done.
    withExtendedLifetime((container, context)) {}
  }

  private static func walk(
    _ name: String,
    _ folder: String,
    _ step: (Int) throws -> Void
  ) throws {
    try step(0)
    resetCounters()
    try step(1)
    setProfile("\(folder)/\(name).profraw")
    guard writeProfile() == 0 else { throw CocoaError(.fileWriteUnknown) }
    // At the end of the program, the runtime writes once more, with the closing of the store.
    setProfile("/dev/null")
  }
}
