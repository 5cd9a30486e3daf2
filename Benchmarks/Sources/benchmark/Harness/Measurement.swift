import Foundation

/// The middle of several measurements and how far they lie apart.
struct Figure: Codable {
  let median: Double
  let minimum: Double
  let maximum: Double

  init(_ values: [Double]) {
    let ordered = values.sorted()
    let middle = ordered.count / 2
    minimum = ordered.first ?? .nan
    maximum = ordered.last ?? .nan
    if ordered.isEmpty {
      median = .nan
    } else if ordered.count.isMultiple(of: 2) {
      median = (ordered[middle - 1] + ordered[middle]) / 2
    } else {
      median = ordered[middle]
    }
  }
}

/// What was measured of one contender.
struct ContenderResult: Codable {
  let name: String
  let role: Workload.Role
  /// Nanoseconds a unit.
  let cpu: Figure
  /// Nanoseconds a unit.
  let wall: Figure
  /// To the control of the same round.
  let cpuRatio: Figure
  let wallRatio: Figure
  /// To the fastest peer, by the medians.
  let cpuRatioToBestPeer: Double?
  let peakBytes: Int?
}

/// What was measured of one workload.
struct WorkloadResult: Codable {
  struct Target: Codable {
    let contender: String
    let clock: Workload.Clock
    let ratio: Double
    let reached: Double
    /// What the same comes to by hand where the engine's promises are kept, if that was measured.
    let limit: Double?
    var isMet: Bool { reached <= ratio }
  }

  let name: String
  let title: String
  let unit: String
  let count: Int
  let rounds: Int
  let targets: [Target]
  let contenders: [ContenderResult]
}

extension Workload {
  /// Lets the contenders run in turns, so that what disturbs the machine disturbs all.
  ///
  /// A first round warms up and measures memory; its times do not count.
  func measured(as name: String, rounds: Int) throws -> WorkloadResult {
    var watches: [[Stopwatch]] = contenders.map { _ in [] }
    var peaks: [Int?] = []
    for round in 0...rounds {
      for (index, contender) in contenders.enumerated() {
        let watch = Stopwatch(measuringMemory: round == 0)
        try check(contender.run(watch), of: contender, in: name)
        if round == 0 { peaks.append(watch.peakBytes) } else { watches[index].append(watch) }
      }
    }
    let results = contenders.indices.map { result(of: $0, watches, peak: peaks[$0]) }
    return WorkloadResult(
      name: name,
      title: title,
      unit: unit,
      count: count,
      rounds: rounds,
      targets: targets.compactMap { reached($0, by: results) },
      contenders: results
    )
  }

  /// Ends the benchmark where a contender has come to something else than is right.
  func check(_ result: UInt64, of contender: Contender, in name: String) throws {
    guard result == expected else {
      throw BenchmarkError(
        "\(name): \(contender.name) has the result \(result), and \(expected) is right"
      )
    }
  }

  private func result(of index: Int, _ watches: [[Stopwatch]], peak: Int?) -> ContenderResult {
    let own = watches[index]
    let units = Double(count)
    let peers = contenders.indices.filter { contenders[$0].role == .peer && $0 != index }
    let bestPeer = peers.map { Figure(watches[$0].map(\.cpu)).median }.min()
    let isEngine = contenders[index].role == .engine
    return ContenderResult(
      name: contenders[index].name,
      role: contenders[index].role,
      cpu: Figure(own.map { $0.cpu / units }),
      wall: Figure(own.map { $0.wall / units }),
      cpuRatio: Figure(zip(own, watches[0]).map { $0.cpu / $1.cpu }),
      wallRatio: Figure(zip(own, watches[0]).map { $0.wall / $1.wall }),
      cpuRatioToBestPeer: isEngine ? bestPeer.map { Figure(own.map(\.cpu)).median / $0 } : nil,
      peakBytes: peak
    )
  }

  private func reached(_ target: Target, by results: [ContenderResult]) -> WorkloadResult.Target? {
    func ratio(_ result: ContenderResult) -> Double {
      (target.clock == .cpu ? result.cpuRatio : result.wallRatio).median
    }
    return results.first { $0.name == target.contender }.map {
      WorkloadResult.Target(
        contender: target.contender,
        clock: target.clock,
        ratio: target.ratio,
        reached: ratio($0),
        limit: results.first { $0.role == .limit }.map(ratio)
      )
    }
  }
}
