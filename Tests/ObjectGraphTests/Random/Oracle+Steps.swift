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
    case .context(let number): return number != context && !differs && marked.isEmpty
    case .save, .rollback, .refetch, .ask, .look, .evict, .reopen: return true
    }
  }

  private func isPort(_ object: Int) -> Bool { isUsable(object) && objects[object]?.kind == .port }

  /// Numbers are not given again, not even those of objects that ended.
  private func wasUsed(_ object: Int) -> Bool { used.contains(object) }

  private func fits(_ object: Int, _ link: Link, _ others: [Int]) -> Bool {
    guard isUsable(object), objects[object]?.kind.links.contains(link) == true else { return false }
    return others.allSatisfy {
      isUsable($0) && objects[$0]?.kind.isKind(of: link.shape.target) == true
    }
  }

  /// Carries out a step that was accepted.
  mutating func apply(_ step: Step) {
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
    case .refetch, .ask: process()
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
