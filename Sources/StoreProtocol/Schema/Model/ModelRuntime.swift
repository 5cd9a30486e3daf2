/// The functions of the model runtime that the contract needs where it has model types only.
///
/// Each model type provides them (``PersistentModel/_$runtime``), so that a store needs neither the
/// layout of objects nor the translation of predicates. Its parts are declared where they are
/// called: `QueryRuntime` and `HistoryRuntime`.
public protocol _ModelRuntime {}
