/// How the cost of one task grows with the size of the store.
struct GrowthTask {
  /// What the cost may depend on.
  enum Expectation: String, Codable {
    /// Nothing that the size changes.
    case flat
    /// The number of rows.
    case linear
  }

  /// The highest growth from the smallest to the largest store that counts as flat.
  static let flatLimit = 1.3

  let name: String
  let title: String
  let unit: String
  let expectation: Expectation
  /// The task on a store of some size; each run checks its result.
  let make: (GrowthScene, _ rows: Int) throws -> Workload
}

/// What was measured of one contender at one size after the other.
struct GrowthResult: Codable {
  struct Point: Codable {
    let rows: Int
    /// Nanoseconds a unit.
    let cpu: Figure
    let wall: Figure
  }

  let name: String
  let title: String
  let unit: String
  let contender: String
  let role: Workload.Role
  let expectation: GrowthTask.Expectation
  let points: [Point]
  /// The cost of the largest store by that of the smallest of the same round; where it may be linear,
  /// the cost of each row.
  let growth: Figure

  /// Whether it grows no more than it may, nil where nothing was promised.
  var isMet: Bool? {
    role == .engine && expectation == .flat ? growth.median <= GrowthTask.flatLimit : nil
  }
}

extension GrowthTask {
  /// Lets all sizes and contenders run in turns; the first round warms up.
  func measured(_ scene: GrowthScene, sizes: [Int], rounds: Int) throws -> [GrowthResult] {
    let workloads = try sizes.map { try make(scene, $0) }
    let contenders = workloads[0].contenders
    var watches = contenders.map { _ in sizes.map { _ in [Stopwatch]() } }
    for round in 0...rounds {
      for (size, workload) in workloads.enumerated() {
        for (index, contender) in workload.contenders.enumerated() {
          let watch = Stopwatch()
          try workload.check(contender.run(watch), of: contender, in: name)
          if round > 0 { watches[index][size].append(watch) }
        }
      }
    }
    return contenders.indices.map { index in
      result(contenders[index], workloads, sizes, watches[index])
    }
  }

  private func result(
    _ contender: Workload.Contender,
    _ workloads: [Workload],
    _ sizes: [Int],
    _ watches: [[Stopwatch]]
  ) -> GrowthResult {
    let units = workloads.map { Double($0.count) }
    let points = sizes.indices.map { index in
      GrowthResult.Point(
        rows: sizes[index],
        cpu: Figure(watches[index].map { $0.cpu / units[index] }),
        wall: Figure(watches[index].map { $0.wall / units[index] })
      )
    }
    let last = sizes.count - 1
    let share = expectation == .linear ? Double(sizes[last]) / Double(sizes[0]) : 1
    let growth = zip(watches[last], watches[0]).map { largest, smallest in
      largest.cpu / units[last] / (smallest.cpu / units[0]) / share
    }
    return GrowthResult(
      name: name,
      title: title,
      unit: unit,
      contender: contender.name,
      role: contender.role,
      expectation: expectation,
      points: points,
      growth: Figure(growth)
    )
  }
}
