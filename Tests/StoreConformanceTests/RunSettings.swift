import Foundation
import StoreConformance

extension ConformanceSettings {
  /// How the built-in stores are tried: with the seed of the environment, and with kept seeds always.
  ///
  /// `Scripts/test` sets another seed each time, and prints it; without it the seed is 0.
  static let ofRun = {
    let text = ProcessInfo.processInfo.environment["OPENSWIFTDATA_SEED"] ?? "0"
    return ConformanceSettings(seed: UInt64(text) ?? 0, regressions: kept)
  }()

  /// Seeds with which a built-in store failed once, such as `RANDOM-301 8231 # lost a list`.
  private static let kept = RegressionSeeds()
}

extension Rule {
  /// Whether it is no random rule, or the first of its kind.
  ///
  /// The others have other seeds, take most of the time, and are tried on each store without a wrapper.
  var isFirstOfItsKind: Bool { !id.hasPrefix("RANDOM") || id.hasSuffix("1") }
}
