// The module that programs import. It re-exports all floors of the library.

@_exported public import ShopIndex
@_exported public import ShopSearch
