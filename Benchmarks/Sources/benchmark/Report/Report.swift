import Foundation

/// All that one run of the benchmark has measured, and where.
struct Report: Codable {
  let machine: Machine
  let memory: [MemoryResult]
  let workloads: [WorkloadResult]
  let growth: [GrowthResult]

  /// How many targets there are, and how many of them were missed.
  var targets: (count: Int, missed: Int) {
    let met =
      workloads.flatMap(\.targets).map(\.isMet) + growth.compactMap(\.isMet)
      + memory.flatMap(\.targets).map(\.isMet)
    return (met.count, met.count { !$0 })
  }
}
