/**
 * The layout runs in a worker. It is begun with the whole graph, and answers with positions; it
 * goes on when it gets their buffer back, so that it is never ahead of what is shown. It ends when
 * the worker is ended.
 */
export interface LayoutStart {
  /** x and y of each node. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** 1 for each node that stays where it is. */
  readonly fixed: Uint8Array<ArrayBuffer>;
  /** The places of both nodes of each edge. */
  readonly edges: Uint32Array<ArrayBuffer>;
}

/** To the worker; `go` gives it the buffer of the last answer back. */
export type LayoutRequest =
  | { readonly kind: 'start'; readonly graph: LayoutStart }
  | { readonly kind: 'go'; readonly positions: Float32Array<ArrayBuffer> };

/** From the worker, some iterations later. */
export interface LayoutAnswer {
  readonly positions: Float32Array<ArrayBuffer>;
  /** Whether the nodes hardly move any more. */
  readonly isSettled: boolean;
}
