// The details of an entity that a customer asks about: price, availability, brand, address, distance, hours.

import { make } from "./dom.js";
import { word } from "./words.js";

export function priceText(price) {
  if (!price) return null;
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency: price.currency })
      .format(Number(price.amount));
  } catch {
    return `${price.amount} ${price.currency}`;
  }
}

export const availabilityText = (availability) => word("availability", availability) ?? null;

export function distanceText(meters) {
  if (meters === undefined || meters === null) return null;
  return meters < 950 ? `${Math.round(meters / 10) * 10} m away` : `${(meters / 1000).toFixed(1)} km away`;
}

/** The line of a card, or null if nothing is known. */
export function details(value) {
  const { product, store } = value;
  const parts = [
    product?.price && ["price", priceText(product.price)],
    product?.availability && [`availability ${product.availability}`, availabilityText(product.availability)],
    product?.brand && ["brand", product.brand],
    store?.address && ["address", store.address],
    value.distanceMeters !== undefined && ["distance", distanceText(value.distanceMeters)],
    value.openNow !== undefined && [`opening ${value.openNow}`, value.openNow ? "Open now" : "Closed now"],
    store?.openingHours && ["hours", store.openingHours.join(", ")],
  ].filter((part) => part && part[1]);
  if (!parts.length) return null;
  return make("ul", { className: "details", "aria-label": "Details" },
    ...parts.map(([className, textContent]) => make("li", { className, textContent })));
}
