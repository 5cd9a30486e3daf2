#if !canImport(Darwin)
  import Foundation

  // Foundation has these comparators on Apple's systems only, and validates those that are decoded, so
  // that nothing else can be made here.

  extension String.StandardComparator {
    /// The comparator of names for people, which orders as `lexical` outside of Apple's systems.
    ///
    /// Stores order strings in one way, whichever comparator a sort descriptor has. To order an array for
    /// people, use `localizedStandardCompare(_:)`.
    @_disfavoredOverload
    public static var localizedStandard: Self { .lexical }

    /// The comparator of the user's language, which orders as `lexical` outside of Apple's systems.
    ///
    /// Stores order strings in one way, whichever comparator a sort descriptor has. To order an array for
    /// people, use `localizedCompare(_:)`.
    @_disfavoredOverload
    public static var localized: Self { .lexical }
  }

  extension SortComparator where Self == String.StandardComparator {
    /// The comparator of names for people, which orders as `lexical` outside of Apple's systems.
    @_disfavoredOverload
    public static var localizedStandard: Self { .lexical }

    /// The comparator of the user's language, which orders as `lexical` outside of Apple's systems.
    @_disfavoredOverload
    public static var localized: Self { .lexical }
  }
#endif
