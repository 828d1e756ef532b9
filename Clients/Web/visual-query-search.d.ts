/** A value of an answer, as far as a page needs it; `/openapi.json` has all of it (`MatchValue`). */
export interface VisualQueryValue {
  type: "product" | "store";
  id: string;
  confidence: number;
  tier: string;
  /** The link that opens it. */
  url: string | null;
  display: { title: string; subtitle?: string; image?: string; thumbnail?: string };
  /** The number of the thing in the photo that it is about. */
  object?: number;
}

/** An answer, `vq.match/1`, as far as a page needs it. */
export interface VisualQueryAnswer {
  /** True if the search had enough time. */
  complete: boolean;
  values: VisualQueryValue[];
  possible: VisualQueryValue[];
  sibling?: VisualQueryValue[];
  similar?: VisualQueryValue[];
  /** The things of the photo: left, top, width and height as shares of it. */
  objects: { number: number; box: [number, number, number, number] }[];
  continuation: string | null;
}

export interface VisualQueryQuestion {
  labels?: string[];
  /** What a person says beside the image, such as "this, but in green". */
  text?: string;
  /** The part that is meant: left, top, width and height as shares of the image. */
  region?: [number, number, number, number];
  locale?: string;
  signal?: AbortSignal;
  [field: string]: unknown;
}

/** A refusal of the service, or a service that does not answer; `message` is a sentence for the visitor. */
export declare class VisualQueryError extends Error {
  readonly status: number;
  readonly code: string;
}

export declare class VisualQueryClient {
  constructor(server: string, key?: string);
  match(image: Blob, question?: VisualQueryQuestion): Promise<VisualQueryAnswer>;
  /** A blob: URL of the service's thumbnail, which the caller revokes, or the address of the shop's own image; null if there is none. */
  image(value: VisualQueryValue, options?: { signal?: AbortSignal; size?: "small" | "large" | "extraLarge" }): Promise<string | null>;
  /** Resolves with false if the service did not take it. */
  opened(query: string, value: VisualQueryValue): Promise<boolean>;
}

/** Makes a JPEG of at most 1024 pixels, without place, time and camera. */
export declare function reduced(file: Blob): Promise<Blob>;

export declare class VisualQuerySearch extends HTMLElement {
  show(): void;
  close(): void;
  search(file: Blob): Promise<VisualQueryAnswer | null>;
}

declare global {
  interface HTMLElementTagNameMap { "visual-query-search": VisualQuerySearch; }
  interface HTMLElementEventMap {
    "vq-answer": CustomEvent<VisualQueryAnswer>;
    "vq-open": CustomEvent<VisualQueryValue>;
    "vq-none": CustomEvent<VisualQueryAnswer>;
    "vq-error": CustomEvent<VisualQueryError>;
  }
}
