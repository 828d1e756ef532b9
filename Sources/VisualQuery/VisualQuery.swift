// People import VisualQuery, which hands on all floors below it.

@_exported public import ShopIndex
@_exported public import ShopSearch
