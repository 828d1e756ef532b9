import Testing

@testable import ShopFeeds
import VisualQuery

/// All formats of the table in `docs/feeds.md`: the smallest input that is one of each.
///
/// `ShopHabitTests` and the tests beside it have whole shops.
@Suite struct FormatTableTests {
  private static let smallest = [
    FeedShop(
      "Native JSON Lines",
      #"""
      {"type":"product","id":"1","title":"Mug"}
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Native CSV",
      #"""
      type,id,title
      product,1,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "A list of JSON",
      #"""
      [{"id":1,"name":"Mug"}]
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "JSON-LD",
      #"""
      {"@context":"https://schema.org","@type":"Product",
      "sku":"1","name":"Mug"}
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "An HTML page",
      #"""
      <!doctype html><html><script type="application/ld+json">{"@type":"Product","sku":"1","name":"Mug"}</script></html>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Google Merchant, table",
      #"""
      id\#ttitle\#tlink
      1\#tMug\#thttps://s.example/1
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Google Merchant, RSS",
      #"""
      <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title>Mug</title></item></channel></rss>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Google Merchant, Atom",
      #"""
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><entry><g:id>1</g:id><title>Mug</title></entry></feed>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Ceneo",
      #"""
      <offers><o id="1"><name>Kubek</name></o></offers>
      """#,
      [
        "1 | Kubek | - | - | - | - | 0"
      ]),
    FeedShop(
      "Skroutz",
      #"""
      <mywebstore><products><product><id>1</id><name>Κούπα</name></product></products></mywebstore>
      """#,
      [
        "1 | Κούπα | - | - | - | - | 0"
      ]),
    FeedShop(
      "Heureka",
      #"""
      <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0"
      ]),
    FeedShop(
      "Yandex Market",
      #"""
      <yml_catalog><shop><offers><offer id="1"><name>Кружка</name></offer></offers></shop></yml_catalog>
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    FeedShop(
      "kaspi.kz",
      #"""
      <kaspi_catalog><offers><offer sku="1"><model>Чайник</model></offer></offers></kaspi_catalog>
      """#,
      [
        "1 | Чайник | - | - | - | - | 0"
      ]),
    FeedShop(
      "BMEcat 1.2",
      #"""
      <BMECAT><T_NEW_CATALOG><ARTICLE><SUPPLIER_AID>1</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT></ARTICLE_DETAILS></ARTICLE></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | - | - | - | - | 0"
      ]),
    FeedShop(
      "BMEcat 2005",
      #"""
      <BMECAT><T_NEW_CATALOG><PRODUCT><SUPPLIER_PID>1</SUPPLIER_PID><PRODUCT_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT></PRODUCT_DETAILS></PRODUCT></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | - | - | - | - | 0"
      ]),
    FeedShop(
      "Salesforce Commerce",
      #"""
      <catalog><product product-id="1"><display-name>Mug</display-name></product></catalog>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "CommerceML",
      #"""
      <КоммерческаяИнформация><Каталог><Товары><Товар><Ид>1</Ид><Наименование>Кружка</Наименование></Товар></Товары></Каталог></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    FeedShop(
      "CommerceML, offers",
      #"""
      <КоммерческаяИнформация><ПакетПредложений><Предложения><Предложение><Ид>1</Ид><Наименование>Кружка</Наименование><Цены><Цена><ЦенаЗаЕдиницу>9.90</ЦенаЗаЕдиницу><Валюта>RUB</Валюта></Цена></Цены><Количество>0</Количество></Предложение></Предложения></ПакетПредложений></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | 9.90 | outOfStock | - | - | 0"
      ]),
    FeedShop(
      "Other XML",
      #"""
      <shop><artikl><kod>1</kod><nazev>Hrnek</nazev></artikl><artikl><kod>2</kod><nazev>Miska</nazev></artikl></shop>
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0",
        "2 | Miska | - | - | - | - | 0",
      ]),
    FeedShop(
      "Shopify",
      #"""
      Handle,Title,Variant Price
      mug,Mug,9
      """#,
      [
        "mug | Mug | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "Shopify since 2024",
      #"""
      Title,URL handle,Price
      Mug,mug,9
      """#,
      [
        "mug | Mug | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "WooCommerce",
      #"""
      ID,Type,SKU,Name
      1,simple,M,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Magento",
      #"""
      sku,attribute_set_code,product_type,name
      M,Default,simple,Mug
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "BigCommerce, old layout",
      #"""
      Item Type,Product ID,Product Name,Product Code/SKU
      Product,1,Mug,M
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "BigCommerce, version 3",
      #"""
      Item,ID,Name,SKU,Options
      Product,1,Mug,M,
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Squarespace",
      #"""
      Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Hosted Image URLs
      1,2,Mug,M,,,
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Wix",
      #"""
      handleId,fieldType,name
      m,Product,Mug
      """#,
      [
        "m | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Wix, new layout",
      #"""
      handle,fieldType,name
      m,PRODUCT,Mug
      """#,
      [
        "m | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "eBay",
      #"""
      *Action,CustomLabel,*Title,Relationship
      Add,M,Mug,
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Amazon",
      #"""
      TemplateType=x\#tVersion=1\#t
      SKU\#tName\#tParent
      item_sku\#titem_name\#tparent_sku
      M\#tMug\#t
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Amazon, 2025",
      #"""
      settings=x\#t
      SKU\#tName
      contribution_sku#1.value\#titem_name[language_tag=en_US]#1.value
      M\#tMug
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Ecwid",
      #"""
      type,product_internal_id,product_name
      product,1,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Shopware 6",
      #"""
      id;parent_id;product_number;name
      1;;SW1;Becher
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    FeedShop(
      "Shopware 5",
      #"""
      ordernumber;mainnumber;name
      S1;S1;Becher
      """#,
      [
        "S1 | Becher | - | - | - | - | 0"
      ]),
    FeedShop(
      "Vendure",
      #"""
      name,slug,optionGroups,optionValues
      Mug,mug,,
      """#,
      [
        "mug | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Etsy",
      #"""
      TITLE,PRICE,QUANTITY,TAGS,SKU
      Mug,9,1,,M
      """#,
      [
        "M | Mug | 9 | inStock | - | - | 0"
      ]),
    FeedShop(
      "Open Food Facts",
      #"""
      code\#tproduct_name\#tbrands
      4006381333931\#tMüsli\#tNord
      """#,
      [
        "4006381333931 | Müsli | - | - | - | Nord | 0"
      ]),
    FeedShop(
      "Saleor",
      #"""
      id,name,variant id,variant sku
      P1,Mug,V1,M
      """#,
      [
        "P1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Medusa",
      #"""
      Product Id,Product Handle,Product Title,Variant Id,Variant SKU
      P1,mug,Mug,V1,M
      """#,
      [
        "P1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Shoptet",
      #"""
      code;pairCode;name;productVisibility
      1;;Hrnek;visible
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0"
      ]),
    FeedShop(
      "InSales",
      #"""
      ID товара;Название товара;ID варианта;Артикул
      1;Кружка;11;M
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    FeedShop(
      "Tilda",
      #"""
      Tilda UID;Parent UID;Title
      1;;Кружка
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    FeedShop(
      "Lightspeed",
      #"""
      Internal_ID,Internal_Variant_ID,NL_Title_Short
      1,11,Mok
      """#,
      [
        "1 | Mok | - | - | - | - | 0"
      ]),
    FeedShop(
      "JTL",
      #"""
      Artikelnummer;Artikelname;Identifizierungsspalte Vaterartikel
      1;Becher;
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    FeedShop(
      "Gambio",
      #"""
      XTSOL|p_id|p_model|p_name.de
      XTSOL|1|M|Becher
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    FeedShop(
      "Prom.ua",
      #"""
      Код_товару;Назва_позиції;Ціна
      M;Кружка;9
      """#,
      [
        "M | Кружка | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "Prom.ua in Russian",
      #"""
      Код_товара;Название_позиции;Цена
      M;Кружка;9
      """#,
      [
        "M | Кружка | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "commercetools",
      #"""
      _published,productType,variantId,sku,prices,images,name.en,color
      true,main,1,R,EUR 1490;US-USD 1690,r.jpg,Tee,Red
      ,,2,B,US-USD 1590 group,b.jpg,,Blue
      """#,
      [
        "B | Tee | 15.90 | - | Blue | - | 1",
        "R | Tee | 14.90 | - | Red | - | 1",
      ]),
    FeedShop(
      "Lightspeed Retail",
      #"""
      id,handle,sku,name,variant_option_one_name,variant_option_one_value,retail_price,inventory_A,inventory_B
      1,t,S1,Tee,Color,Red,9,0,2
      2,t,S2,Tee,Color,Blue,9,0,0
      """#,
      [
        "1 | Tee | 9 | inStock | Red | - | 0",
        "2 | Tee | 9 | outOfStock | Blue | - | 0",
      ]),
    FeedShop(
      "Odoo",
      #"""
      id,name,default_code,list_price,color,qty_available
      __export__.1,Mug,M-1,9,3,2
      """#,
      [
        "M-1 | Mug | 9 | inStock | - | - | 0"
      ]),
    FeedShop(
      "Tiendanube",
      #"""
      Identificador de URL;Nombre;Nombre de propiedad 1;Valor de propiedad 1;Precio;Precio promocional;Stock;SKU;Mostrar en tienda
      t;Remera;Color;Rojo;19,00;15,00;1;R;SI
      t;;Color;Azul;19,00;;0;A;
      x;Taza;;;9,00;;1;T;NO
      x;;;;9,00;;1;T2;
      """#,
      [
        "A | Remera | 19.00 | outOfStock | Azul | - | 0",
        "R | Remera | 15.00 | inStock | Rojo | - | 0",
      ]),
    FeedShop(
      "Nuvemshop",
      #"""
      Identificador URL;Nome;Nome da variação 1;Valor da variação 1;Preço;Estoque;SKU;Exibir na loja
      c;Caneca;;;9,00;2;C;SIM
      """#,
      [
        "C | Caneca | 9.00 | inStock | - | - | 0"
      ]),
    FeedShop(
      "Webflow",
      #"""
      Product Handle,Product Name,Variant Sku,Variant Price,Option1 Name,Option1 Value,Product Draft,Product Archived
      t,Tee,R,9,Color,Red,FALSE,FALSE
      t,Tee,B,8,Color,Blue,FALSE,FALSE
      d,Draft,D,1,,,TRUE,FALSE
      a,Old,O,1,,,FALSE,TRUE
      """#,
      [
        "B | Tee | 8 | - | Blue | - | 0",
        "R | Tee | 9 | - | Red | - | 0",
      ]),
    FeedShop(
      "Square",
      #"""
      Token,Item Name,Variation Name,SKU,Price,Current Quantity Kiel,Current Quantity Bonn,Archived
      X1,Mug,Regular,M-1,9,0,3,N
      X2,Old,Regular,M-2,9,1,1,Y
      """#,
      [
        "M-1 | Mug | 9 | inStock | - | - | 0"
      ]),
    FeedShop(
      "ONIX",
      #"""
      <ONIXMessage><Product><RecordReference>r1</RecordReference><DescriptiveDetail><TitleDetail><TitleElement><TitleText>Sea</TitleText></TitleElement></TitleDetail></DescriptiveDetail><ProductSupply><PriceAmount>9.00</PriceAmount><CurrencyCode>EUR</CurrencyCode></ProductSupply></Product></ONIXMessage>
      """#,
      [
        "r1 | Sea | 9.00 | - | - | - | 0"
      ]),
    FeedShop(
      "ONIX with short tags",
      #"""
      <ONIXmessage release="3.0"><product><a001>r1</a001><productidentifier><b221>15</b221><b244>9780306406157</b244></productidentifier><descriptivedetail><titledetail><b202>01</b202><titleelement><x409>01</x409><b203>Sea</b203></titleelement></titledetail></descriptivedetail><publishingdetail><publisher><b081>Nord</b081></publisher></publishingdetail><productsupply><supplydetail><price><j151>9.00</j151><j152>EUR</j152></price></supplydetail></productsupply></product></ONIXmessage>
      """#,
      [
        "r1 | Sea | 9.00 | - | - | Nord | 0"
      ]),
    FeedShop(
      "Shopify's pattern of colors",
      #"""
      Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Color (product.metafields.shopify.color-pattern)
      t,Tee,Size,S,T-S,9,red; blue
      t,,,M,T-M,9,
      """#,
      [
        "t | Tee | 9 | - | red, blue | - | 0"
      ]),
    FeedShop(
      "PrestaShop",
      #"""
      Product ID;Active (0/1);Name *;Price tax excluded
      1;1;Mug;9
      """#,
      [
        "1 | Mug | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "idealo",
      #"""
      Artikelnummer im Shop;Produktname;Preis (inkl. MwSt.)
      1;Becher;9
      """#,
      [
        "1 | Becher | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "TikTok",
      #"""
      sku_id,title,price
      1,Mug,9 EUR
      """#,
      [
        "1 | Mug | 9 | - | - | - | 0"
      ]),
    FeedShop(
      "OpenCart",
      #"""
      product_id,name(en-gb),model
      1,Mug,M-1
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Akeneo",
      #"""
      sku;categories;name-en_US
      1;mugs;Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    FeedShop(
      "Google Product Search",
      #"""
      gs://b/a/1.jpg,,set,1,general,Mug,,
      """#,
      [
        "1 | Mug | - | - | - | - | 1"
      ]),
  ]

  /// Would break if a format were only known with columns that a small shop does not export.
  @Test(arguments: smallest) func `the smallest feed of a format`(shop: FeedShop) throws {
    try shop.check()
  }
}
