#if !canImport(Darwin)
  import Foundation

  // Foundation has these comparators on Apple's systems only. It validates those that are decoded,
  // so no others can be created here.

  extension String.StandardComparator {
    /// The comparator for names shown to people, which orders like `lexical` outside Apple's
    /// systems.
    ///
    /// Stores order strings in one way, regardless of the comparator. To sort an array for display,
    /// use `localizedStandardCompare(_:)`.
    @_disfavoredOverload
    public static var localizedStandard: Self { .lexical }

    /// The comparator for the user's language, which orders like `lexical` outside Apple's systems.
    ///
    /// Stores order strings in one way, regardless of the comparator. To sort an array for display,
    /// use `localizedCompare(_:)`.
    @_disfavoredOverload
    public static var localized: Self { .lexical }
  }

  extension SortComparator where Self == String.StandardComparator {
    /// The comparator for names shown to people, which orders like `lexical` outside Apple's
    /// systems.
    @_disfavoredOverload
    public static var localizedStandard: Self { .lexical }

    /// The comparator for the user's language, which orders like `lexical` outside Apple's systems.
    @_disfavoredOverload
    public static var localized: Self { .lexical }
  }
#endif
