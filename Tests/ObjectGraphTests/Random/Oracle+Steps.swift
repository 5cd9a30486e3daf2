extension Oracle {
  /// Whether a step makes sense now; others are passed over, so that steps can be left out.
  func accepts(_ step: Step) -> Bool {
    switch step {
    case .make(let object, let kind, let port):
      return standings[object] == nil && objects[object] == nil && !wasUsed(object)
        && (kind == .ship) == (port != nil) && port.map { isPort($0) } ?? true
        && kind.uniqueField.map { !wouldMerge(object, $0, object) } ?? true
    case .insert(let object): return isUsable(object) && standings[object] == .loose
    case .set(let object, let field, let value):
      return isUsable(object) && objects[object]?.kind.fields.contains(field) == true
        && !wouldMerge(object, field, value)
    case .link(let object, let link, let other):
      return fits(object, link, other.map { [$0] } ?? []) && !link.shape.isToMany
        && (other != nil || !link.shape.isRequired)
    case .add(let object, let link, let other, let next):
      return fits(object, link, [other]) && link.shape.isToMany
        && !visible(link, of: object).contains(other)
        && next.map { visible(link, of: object).contains($0) } ?? true
    case .remove(let object, let link, let other):
      return fits(object, link, [other]) && link.shape.isToMany
        && visible(link, of: object).contains(other)
    case .replace(let object, let link, let others):
      return fits(object, link, others) && link.shape.isToMany && Set(others).count == others.count
    case .reverse(let object, let link): return fits(object, link, []) && link.shape.isToMany
    case .delete(let object): return isInserted(object)
    case .read(let object): return isUsable(object)
    case .deleteAll(let question): return question.deletes
    case .elsewhere(let inner):
      if case .set(let object, let field, let value) = inner, wouldMerge(object, field, value) {
        return false
      }
      return changed(elsewhere: inner) != nil
    case .context(let number): return number != context && !differs && marked.isEmpty
    case .save, .rollback, .refetch, .ask, .look, .evict, .reopen: return true
    }
  }

  private func isPort(_ object: Int) -> Bool { isUsable(object) && objects[object]?.kind == .port }

  /// Numbers are not given again, not even those of objects that ended.
  private func wasUsed(_ object: Int) -> Bool { used.contains(object) }

  private func fits(_ object: Int, _ link: FleetLink, _ others: [Int]) -> Bool {
    guard isUsable(object), objects[object]?.kind.links.contains(link) == true else { return false }
    return others.allSatisfy {
      isUsable($0) && objects[$0]?.kind.isKind(of: link.shape.target) == true
    }
  }

  /// What there is after another context changed something, nil where it does not.
  private func changed(elsewhere step: Step) -> Oracle? {
    var other = onlyStored
    switch step {
    case .set, .link, .add, .remove, .replace, .reverse, .delete: break
    default: return nil
    }
    guard other.accepts(step) else { return nil }
    other.apply(step)
    other.process()
    guard other.failures.isEmpty else { return nil }
    other.save()
    // What the delete rules change here first is not refreshed.
    var result = self
    result.process()
    result.touch([], since: objects)
    return result.absorbing(other)
  }

  /// Carries out a step that was accepted.
  mutating func apply(_ step: Step) {
    if case .elsewhere(let inner) = step, let changed = changed(elsewhere: inner) { self = changed }
    let before = objects
    carryOut(step)
    touch(step.objects, since: before)
    switch step {
    case .save where !differs, .rollback, .reopen, .context: clearTouched()
    default: break
    }
  }

  private mutating func carryOut(_ step: Step) {
    switch step {
    case .make(let object, let kind, let port): make(object, kind, port: port)
    case .insert(let object): insert(object)
    case .set(let object, let field, let value): set(object, field, value)
    case .link(let object, let link, let other): self.link(object, link, other)
    case .add(let object, let link, let other, let next): add(object, link, other, before: next)
    case .remove(let object, let link, let other): remove(object, link, other)
    case .replace(let object, let link, let others): assign(object, link, others)
    case .reverse(let object, let link): reverse(object, link)
    case .delete(let object): delete(object)
    case .deleteAll(let question):
      process()
      let found = all(question.kind).filter { question.holds(for: $0, in: self) }
      for object in found { delete(object) }
    case .save:
      process()
      if failures.isEmpty { save() }
    case .rollback: rollback()
    case .refetch, .ask, .elsewhere: process()
    case .context(let number):
      dropLoose()
      go(to: number)
    case .reopen:
      rollback()
      dropLoose()
    case .look, .read, .evict: break
    }
  }
}

extension Step {
  /// The objects that the step names and changes.
  fileprivate var objects: [Int] {
    switch self {
    case .make(let object, _, let port): [object] + (port.map { [$0] } ?? [])
    case .insert(let object), .delete(let object), .set(let object, _, _): [object]
    case .reverse(let object, _): [object]
    case .link(let object, _, let other): [object] + (other.map { [$0] } ?? [])
    case .add(let object, _, let other, _), .remove(let object, _, let other): [object, other]
    case .replace(let object, _, let others): [object] + others
    default: []
    }
  }
}
