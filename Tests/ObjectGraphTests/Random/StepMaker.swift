import StoreTestSupport

/// Makes runs of steps, each of which makes sense where it stands.
struct StepMaker {
  private var random: SeededGenerator
  private var oracle = Oracle()
  private var last = 0
  /// What the run is like: how many objects, how often it is saved.
  private let size: Int
  private let saveWeight: Int

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    size = Int.random(in: 3...24, using: &random)
    saveWeight = Int.random(in: 2...12, using: &random)
  }

  /// A run of steps.
  mutating func steps(_ count: Int) -> [Step] {
    var steps: [Step] = []
    while steps.count < count {
      guard let step = step(), oracle.accepts(step) else { continue }
      oracle.apply(step)
      steps.append(step)
    }
    return steps
  }

  private mutating func step() -> Step? {
    let isCrowded = oracle.objects.count > size
    switch Int.random(in: 0..<(74 + saveWeight), using: &random) {
    case 0..<10: return isCrowded ? deletion() : making()
    case 10..<13: return anything().map { .insert($0) }
    case 13..<20: return setting()
    case 20..<46: return linking()
    case 46..<50: return isCrowded ? deletion() : linking()
    case 50..<51: return deletion()
    case 51..<53: return .rollback
    case 53..<57: return .refetch
    case 57..<61: return .ask(question())
    case 61..<63: return .look
    case 63..<66: return anything().map { .read($0) }
    case 66..<68: return .evict
    case 68..<69: return .context(Int.random(in: 0..<2, using: &random))
    case 69..<70: return Int.random(in: 0..<3, using: &random) == 0 ? .reopen : .evict
    case 70..<74: return change().map { .elsewhere($0) }
    default: return .save
    }
  }

  private mutating func change() -> Step? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: anything().map { .delete($0) }
    case 1..<4: setting()
    default: linking()
    }
  }

  private mutating func anything() -> Int? { usable.randomElement(using: &random) }

  private var usable: [Int] { oracle.objects.keys.filter(oracle.isUsable).sorted() }

  private func usable(_ kind: Kind) -> [Int] {
    usable.filter { oracle.objects[$0]?.kind.isKind(of: kind) == true }
  }

  private mutating func making() -> Step? {
    last += 1
    let kind = random.pick(Kind.allCases)
    if kind != .ship { return .make(last, kind) }
    return usable(.port).randomElement(using: &random).map { .make(last, .ship, port: $0) }
  }

  private mutating func deletion() -> Step? {
    if Int.random(in: 0..<6, using: &random) == 0 { return .deleteAll(question()) }
    return anything().map { .delete($0) }
  }

  private mutating func setting() -> Step? {
    guard let object = anything(), let kind = oracle.objects[object]?.kind else { return nil }
    let field = random.pick(kind.fields)
    let limit = field.isUnique ? max(1, last) : 9
    return .set(object, field, Int.random(in: 0...limit, using: &random))
  }

  private mutating func linking() -> Step? {
    guard let object = anything(), let kind = oracle.objects[object]?.kind,
      let link = kind.links.randomElement(using: &random)
    else { return nil }
    let others = usable(link.shape.target)
    let members = oracle.visible(link, of: object)
    if !link.shape.isToMany {
      let isCleared = Int.random(in: 0..<5, using: &random) == 0
      return .link(object, link, isCleared ? nil : others.randomElement(using: &random))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: return others.randomElement(using: &random).map { .add(object, link, $0) }
    case 4..<5:
      guard let other = others.randomElement(using: &random) else { return nil }
      return .add(object, link, other, before: members.randomElement(using: &random))
    case 5..<7: return members.randomElement(using: &random).map { .remove(object, link, $0) }
    case 7..<8: return members.count > 1 ? .reverse(object, link) : nil
    default:
      let count = Int.random(in: 0...4, using: &random)
      return .replace(object, link, Array(others.shuffled(using: &random).prefix(count)))
    }
  }

  private mutating func question() -> Question {
    let number = Int.random(in: 0...max(1, last), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .rankAbove(number % 5, limit: number % 3 == 0 ? nil : number % 4)
    case 1: return .onShip(number)
    case 2: return .withPupils
    case 3: return .bearing(number)
    case 4: return .fast(number % 5, offset: number % 3)
    case 5: return .captains
    case 6: return .crewAbove(number % 3)
    case 7: return .inPort(number)
    case 8: return .rootEntries
    default: return .withLogs
    }
  }
}
