// Re-exports the floors below, because the public declarations of this one name their types.

@_exported public import ShopStore
