import Foundation

/// The extent of sweeps: tests that repeat what others show in many places or on many stores.
///
/// `.ci/run` sets `OPENSWIFTDATA_SWEEPS=whole`. Otherwise a sweep has a part of its elements, which
/// changes with `OPENSWIFTDATA_SEED`: `Scripts/test` sets another seed each time, and prints it.
public enum Sweep {
  private static let environment = ProcessInfo.processInfo.environment
  /// Whether all of each sweep is tested.
  public static let isWhole = environment["OPENSWIFTDATA_SWEEPS"] == "whole"
  private static let seed = environment["OPENSWIFTDATA_SEED"].flatMap(Int.init) ?? 0
  /// What random programs follow from: `OSD_SEED`, or `OPENSWIFTDATA_SEED` if that is not set.
  ///
  /// Failures print it as `OSD_SEED=…`, which repeats them.
  public static let randomSeed = randomSeed(in: environment)

  /// Returns the elements of a sweep, in their order: all, or a number of them at equal distances.
  ///
  /// Sweeps with different turns have different parts.
  public static func part<Element>(_ all: [Element], of count: Int, turn: Int = 0) -> [Element] {
    isWhole ? all : part(all, of: count, from: seed &+ turn)
  }

  /// Returns how often something is tried: the number for whole sweeps, or one for a part.
  public static func count(_ whole: Int, part: Int) -> Int { isWhole ? whole : part }

  static func randomSeed(in environment: [String: String]) -> UInt64 {
    let texts = [environment["OSD_SEED"], environment["OPENSWIFTDATA_SEED"]]
    return texts.lazy.compactMap { $0.flatMap(UInt64.init) }.first ?? 1
  }

  static func part<Element>(_ all: [Element], of count: Int, from seed: Int) -> [Element] {
    guard count < all.count else { return all }
    let first = abs(seed % all.count)
    return (0..<count).map { (first + $0 * all.count / count) % all.count }.sorted().map { all[$0] }
  }
}
