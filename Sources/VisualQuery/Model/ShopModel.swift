// Re-exports the floor below, because the public declarations of this one name its types.

@_exported public import ShopBase
