import Testing

@testable import ShopFeeds
import VisualQuery

/// The habits of whole shops in the exports of shop systems, from Shopify to Medusa.
@Suite struct ShopSystemHabitTests {
  private static let shops = [
    FeedShop(
      "Shopify",
      #"""
      Handle,Title,Vendor,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Image Src,Variant Image,Status
      tee,Tee,Nord,true,Farbe,Rot,R,shopify,3,19.90,29.90,r.jpg,r.jpg,active
      tee,,,,,Blau,B,shopify,0,18.90,,b.jpg,b.jpg,
      off,Off,Nord,true,,,O,,,9,,,,draft
      """#,
      [
        "tee/blau | Tee | 18.90 | outOfStock | Blau | Nord | 1",
        "tee/rot | Tee | 19.90 | inStock | Rot | Nord | 1",
      ]),
    FeedShop(
      "Shopify GraphQL",
      #"""
      {"data":{"products":{"edges":[{"node":{"id":"gid://shopify/Product/1","title":"Tee","handle":"tee","vendor":"Nord","status":"ACTIVE","images":{"edges":[{"node":{"url":"r.jpg"}},{"node":{"url":"b.jpg"}}]},"variants":{"edges":[{"node":{"sku":"R","price":"19.90","inventoryQuantity":3,"selectedOptions":[{"name":"Color","value":"Red"}],"image":{"url":"r.jpg"}}},{"node":{"sku":"B","price":{"amount":"21.90","currencyCode":"EUR"},"availableForSale":false,"selectedOptions":[{"name":"Color","value":"Blue"}],"image":{"url":"b.jpg"}}}]}}}]}}}
      """#,
      [
        "tee/blue | Tee | 21.90 | outOfStock | Blue | Nord | 1",
        "tee/red | Tee | 19.90 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "Magento",
      #"""
      sku,store_view_code,attribute_set_code,product_type,name,product_online,price,special_price,base_image,additional_images,is_in_stock,configurable_variations,additional_attributes
      R,,Default,simple,Mug red,1,14.90,9.90,r.jpg,r2.jpg,1,,"color=Red"
      B,,Default,simple,Mug blue,1,15.90,,b.jpg,,0,,color=Blue
      M,,Default,configurable,Mug,1,,,m.jpg,,1,"sku=R,color=Red|sku=B,color=Blue",
      M,de,Default,configurable,Becher,,,,,,,,
      O,,Default,simple,Off,2,9,,,,1,,
      """#,
      [
        "B | Mug | 15.90 | outOfStock | Blue | - | 1",
        "M | Mug | 14.90 | inStock | - | - | 1",
        "R | Mug | 9.90 | inStock | Red | - | 2",
      ]),
    FeedShop(
      "Magento REST",
      #"""
      {"items":[{"id":1,"sku":"R","name":"Mug","attribute_set_id":4,"price":14.9,"status":1,"type_id":"simple","extension_attributes":{"stock_item":{"qty":3,"is_in_stock":true}},"media_gallery_entries":[{"media_type":"image","file":"/m/r.jpg"}],"custom_attributes":[{"attribute_code":"image","value":"/m/r.jpg"},{"attribute_code":"color","value":"Red"},{"attribute_code":"special_price","value":"9.90"},{"attribute_code":"manufacturer","value":"Nord"}]},{"id":2,"sku":"O","name":"Off","attribute_set_id":4,"price":9,"status":2,"type_id":"simple"}]}
      """#,
      [
        "R | Mug | 9.90 | inStock | Red | Nord | 1"
      ]),
    FeedShop(
      "BigCommerce REST, nothing tracked",
      #"""
      {"data":[{"id":77,"name":"Shirt","sku":"S","price":25,"sale_price":20,"brand_name":"Nord","availability":"available","inventory_tracking":"none","is_visible":true,"images":[{"url_zoom":"z.jpg","url_standard":"s.jpg","url_thumbnail":"t.jpg"}],"variants":[{"sku":"R","price":null,"inventory_level":0,"image_url":"r.jpg","option_values":[{"label":"Red","option_display_name":"Color"}]},{"sku":"B","price":27,"inventory_level":0,"image_url":"b.jpg","option_values":[{"label":"Blue","option_display_name":"Color"}]}]},{"id":78,"name":"Off","sku":"O","is_visible":false}]}
      """#,
      [
        "77 | Shirt | 20 | inStock | - | Nord | 1",
        "B | Shirt | 27 | inStock | Blue | Nord | 1",
        "R | Shirt | 20 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "Squarespace",
      #"""
      Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Visible,Hosted Image URLs
      5f1,v1,Mug,R,Color,Red,14.90,9.90,Yes,3,Yes,https://i.example/1.jpg https://i.example/2.jpg
      ,v2,,B,Color,Blue,15.90,12.00,No,Unlimited,,
      5f2,v3,Hidden,H,,,5.00,0.00,No,0,No,
      """#,
      [
        "5f1 | Mug | 14.90 | - | - | - | 2",
        "B | Mug | 15.90 | inStock | Blue | - | 0",
        "R | Mug | 9.90 | inStock | Red | - | 0",
      ]),
    FeedShop(
      "eBay",
      #"""
      *Action(SiteID=US|Currency=USD|Version=1193),CustomLabel,*Title,C:Brand,C:Color,*StartPrice,*Quantity,PicURL,Relationship,RelationshipDetails
      Add,MUG,Mug,Nord,,,,a.jpg|b.jpg,,Color=Red;Blue
      ,R,,,,14.90,3,Red=r.jpg,Variation,Color=Red
      ,B,,,,15.90,0,Blue=b.jpg,Variation,Color=Blue
      """#,
      [
        "B | Mug | 15.90 | outOfStock | Blue | Nord | 1",
        "MUG | Mug | 14.90 | - | - | Nord | 2",
        "R | Mug | 14.90 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "Amazon",
      #"""
      TemplateType=x\#tVersion=1\#t\#t\#t\#t\#t\#t\#t\#t
      SKU\#tCode\#tType\#tName\#tBrand\#tPrice\#tQty\#tImage\#tParent\#tColor
      item_sku\#texternal_product_id\#texternal_product_id_type\#titem_name\#tbrand_name\#tstandard_price\#tquantity\#tmain_image_url\#tparent_sku\#tcolor_name
      S\#t\#t\#tShirt\#tNord\#t\#t\#tp.jpg\#t\#t
      R\#t4006381333931\#tEAN\#tShirt red\#tNord\#t19.90\#t3\#tr.jpg\#tS\#tRed
      B\#t4006381333948\#tEAN\#tShirt blue\#tNord\#t21.90\#t0\#tb.jpg\#tS\#tBlue
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.90 | inStock | Red | Nord | 1",
        "S | Shirt | 19.90 | - | - | Nord | 1",
      ]),
    FeedShop(
      "Ecwid REST",
      #"""
      {"items":[{"id":5001,"sku":"M","name":"Mug","price":14.9,"quantity":5,"enabled":true,"imageUrl":"m.jpg","options":[{"type":"RADIO","name":"Color","choices":[{"text":"Red"},{"text":"Blue"}]}],"combinations":[{"options":[{"name":"Color","value":"Red"}],"sku":"R","price":14.9,"quantity":3,"imageUrl":"r.jpg"},{"options":[{"name":"Color","value":"Blue"}],"sku":"B","price":15.9,"quantity":0,"imageUrl":"b.jpg"}],"attributes":[{"name":"Brand","value":"Nord"}]},{"id":5002,"sku":"O","name":"Off","enabled":false}]}
      """#,
      [
        "5001 | Mug | 14.9 | inStock | - | Nord | 1",
        "B | Mug | 15.9 | outOfStock | Blue | Nord | 1",
        "R | Mug | 14.9 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "Shopware 6",
      #"""
      id;parent_id;product_number;active;stock;name;translations.DEFAULT.name;price_net;price_gross;cover_media_url;media;manufacturer_name
      a1;;SW1;1;12;;Becher;12.52;14.90;https://i.example/1.jpg;https://i.example/2.jpg|https://i.example/3.jpg;Nord
      a2;a1;SW1.1;1;5;;;;;https://i.example/4.jpg;;
      a3;;SW2;0;5;;Aus;;9;;;
      """#,
      [
        "a1 | Becher | 14.90 | inStock | - | Nord | 4"
      ]),
    FeedShop(
      "Vendure GraphQL",
      #"""
      {"data":{"products":{"items":[{"id":"1","name":"Shirt","slug":"shirt","enabled":true,"assets":[{"preview":"f.jpg"}],"variants":[{"sku":"R","name":"Shirt Red","price":1990,"priceWithTax":2368,"currencyCode":"EUR","stockLevel":"IN_STOCK","options":[{"name":"Red","group":{"name":"Color"}}],"featuredAsset":{"preview":"r.jpg","source":"r-source.jpg"}},{"sku":"B","price":2190,"priceWithTax":2606,"currencyCode":"EUR","stockLevel":"OUT_OF_STOCK","options":[{"name":"Blue","group":{"name":"Color"}}],"featuredAsset":{"preview":"b.jpg"}}]}]}}}
      """#,
      [
        "1 | Shirt | 23.68 | - | - | - | 1",
        "B | Shirt | 26.06 | outOfStock | Blue | - | 1",
        "R | Shirt | 23.68 | inStock | Red | - | 1",
      ]),
    FeedShop(
      "Etsy REST",
      #"""
      {"results":[{"listing_id":123,"title":"Hand &quot;made&quot; mug","state":"active","quantity":3,"price":{"amount":1490,"divisor":100,"currency_code":"EUR"},"images":[{"url_75x75":"https://i.example/75.jpg","url_170x135":"https://i.example/170.jpg","url_fullxfull":"https://i.example/full.jpg"}]},{"listing_id":124,"title":"Draft","state":"draft"}]}
      """#,
      [
        "123 | Hand \"made\" mug | 14.90 | inStock | - | - | 1"
      ]),
    FeedShop(
      "Saleor",
      #"""
      id,name,category slug,variant id,variant sku,product media,variant media,Default (channel currency code),Default (price amount),Default (published),color (variant attribute)
      P1,Shirt,shirts,v1,R,https://i.example/1.jpg,https://i.example/r.jpg,EUR,19.90,True,Red
      P1,Shirt,shirts,v2,B,https://i.example/1.jpg,https://i.example/b.jpg,EUR,21.90,True,Blue
      P2,Off,shirts,v3,O,,,EUR,9,False,
      """#,
      [
        "B | Shirt | 21.90 | - | Blue | - | 1",
        "P1 | Shirt | 19.90 | - | - | - | 1",
        "R | Shirt | 19.90 | - | Red | - | 1",
      ]),
    FeedShop(
      "Saleor GraphQL",
      #"""
      {"data":{"products":{"edges":[{"node":{"id":"P1","name":"Shirt","isAvailable":true,"description":"{\"blocks\":[{\"data\":{\"text\":\"Soft\"}}]}","media":[{"url":"1.jpg"}],"pricing":{"priceRange":{"start":{"gross":{"amount":19.9,"currency":"EUR"}}}},"variants":[{"id":"v1","sku":"R","quantityAvailable":3,"pricing":{"price":{"gross":{"amount":19.9,"currency":"EUR"}}},"media":[{"url":"r.jpg"}],"attributes":[{"attribute":{"name":"Color"},"values":[{"name":"Red"}]}]},{"id":"v2","sku":"B","quantityAvailable":0,"pricing":{"price":{"gross":{"amount":21.9,"currency":"EUR"}}},"media":[{"url":"b.jpg"}],"attributes":[{"attribute":{"name":"Color"},"values":[{"name":"Blue"}]}]}]}}]}}}
      """#,
      [
        "B | Shirt | 21.9 | outOfStock | Blue | - | 1",
        "P1 | Shirt | 19.9 | inStock | - | - | 1",
        "R | Shirt | 19.9 | inStock | Red | - | 1",
      ]),
    FeedShop(
      "Medusa",
      #"""
      Product Id;Product Handle;Product Title;Product Status;Variant Id;Variant SKU;Variant Inventory Quantity;Price EUR;Option 1 Name;Option 1 Value;Image 1 Url
      P1;shirt;Shirt;published;v1;R;3;19.90;Color;Red;r.jpg
      P1;shirt;Shirt;published;v2;B;0;21.90;Color;Blue;b.jpg
      P2;off;Off;draft;v3;O;1;9;;;
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 1",
      ]),
    FeedShop(
      "Medusa 1 REST",
      #"""
      {"products":[{"id":"P1","title":"Shirt","handle":"shirt","status":"published","images":[{"url":"1.jpg"}],"options":[{"id":"o1","title":"Color"}],"variants":[{"id":"v1","sku":"R","inventory_quantity":3,"prices":[{"currency_code":"eur","amount":1990,"region_id":null}],"options":[{"option_id":"o1","value":"Red"}]},{"id":"v2","sku":"B","inventory_quantity":0,"prices":[{"currency_code":"eur","amount":2190,"region_id":null}],"options":[{"option_id":"o1","value":"Blue"}]}]},{"id":"P2","title":"Off","status":"draft"}]}
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | - | 0",
        "P1 | Shirt | 19.90 | - | - | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 0",
      ]),
  ]

  /// Would break if a part of a shop were lost, or if a draft were shown.
  @Test(arguments: shops) func `a shop with its habits`(shop: FeedShop) throws {
    try shop.check()
  }
}
