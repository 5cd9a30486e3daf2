import StoreProtocol
import Synchronization

/// What the contexts of a container share, and keep alive without the container itself.
final class ContainerCore: Sendable {
  /// The models.
  let schema: Schema
  /// How older data comes to the schema.
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The opened stores.
  let backends: Backends
  /// The saves so far.
  let changes = ContainerChanges()
  private let boxed: ConfigurationList

  init(
    schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    migrationOptions: MigrationOptions = MigrationOptions(),
    configurations: [any DataStoreConfiguration]
  ) throws {
    if let problem = schema.problems.first { throw problem }
    self.schema = schema
    self.migrationPlan = migrationPlan
    boxed = ConfigurationList(list: configurations)
    backends = try Backends(
      schema: schema,
      migrationPlan: migrationPlan,
      migrationOptions: migrationOptions,
      configurations: configurations
    )
  }

  /// The configurations as they were given.
  var configurations: [any DataStoreConfiguration] { boxed.list }
}

/// The configurations of a container.
private struct ConfigurationList: @unchecked Sendable {
  // Unchecked: SwiftData's protocol does not ask configurations to be Sendable. They are kept as
  // they were given and handed out as copies; a container never changes them.
  let list: [any DataStoreConfiguration]
}

/// A count of the saves through a container, by which contexts know that others saved.
final class ContainerChanges: Sendable {
  private let count = Atomic<UInt64>(0)
  private let mailboxes = Mutex<[WeakMailbox]>([])

  private struct WeakMailbox {
    weak var mailbox: DeletionMailbox?
  }

  /// The number of saves so far.
  var generation: UInt64 { count.load(ordering: .acquiring) }

  /// Makes the mailbox of a context.
  func makeMailbox() -> DeletionMailbox {
    let mailbox = DeletionMailbox()
    mailboxes.withLock { list in
      list.removeAll { $0.mailbox == nil }
      list.append(WeakMailbox(mailbox: mailbox))
    }
    return mailbox
  }

  /// Counts a save, and tells the other contexts what it removed.
  func post(
    deleted: [PersistentIdentifier] = [],
    hasErased: Bool = false,
    from own: DeletionMailbox? = nil
  ) {
    if hasErased || !deleted.isEmpty {
      let all = mailboxes.withLock { $0.compactMap(\.mailbox) }
      for mailbox in all where mailbox !== own { mailbox.put(deleted, isMuch: hasErased) }
    }
    count.add(1, ordering: .acquiringAndReleasing)
  }
}
