import {
  SEARCH_BATCH_NODES_MAX,
  SEARCH_CONNECTIONS_MAX,
  SEARCH_CONNECTIONS_WAITING_MAX,
} from '#base/search-limits.ts';
import type { StateReader } from '#graph/state-reader.ts';

/** Ids whose numbers of connections are in one piece of shared memory. */
const PAGE_IDS = 65_536;
const PAGE_BYTES = PAGE_IDS * Uint16Array.BYTES_PER_ELEMENT;
const NUMBER_BYTES = 4;

/** Numbers of connections by node, as the threads share them: a page is there once it has one. */
export type ConnectionPages = readonly (SharedArrayBuffer | undefined)[];

/** Each page after its number, for a file. */
export function encodeConnections(pages: ConnectionPages): Uint8Array {
  const present = pages.flatMap((page, number) => (page === undefined ? [] : [{ page, number }]));
  const bytes = new Uint8Array(present.length * (NUMBER_BYTES + PAGE_BYTES));
  const view = new DataView(bytes.buffer);
  present.forEach(({ page, number }, i) => {
    const at = i * (NUMBER_BYTES + PAGE_BYTES);
    view.setUint32(at, number);
    bytes.set(new Uint8Array(page), at + NUMBER_BYTES);
  });
  return bytes;
}

/** What `encodeConnections` made. */
export function decodeConnections(bytes: Uint8Array): ConnectionPages {
  const pages: (SharedArrayBuffer | undefined)[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += NUMBER_BYTES + PAGE_BYTES) {
    const page = new SharedArrayBuffer(PAGE_BYTES);
    new Uint8Array(page).set(bytes.subarray(at + NUMBER_BYTES, at + NUMBER_BYTES + PAGE_BYTES));
    const number = view.getUint32(at);
    while (pages.length < number) pages.push(undefined);
    pages[number] = page;
  }
  return pages;
}

/** How many connections a node has, up to `SEARCH_CONNECTIONS_MAX`. */
export function connectionsIn(pages: ConnectionPages, node: number): number {
  const page = pages[Math.floor(node / PAGE_IDS)];
  return page === undefined ? 0 : new Uint16Array(page)[node % PAGE_IDS]!;
}

/**
 * A column of the index beside its documents: how many edges each node has. Edges change it without
 * the text of a node being read again. Nodes whose edges have changed wait until the index has
 * nothing else to do, so that a node of a load is counted once.
 */
export class Connections {
  readonly #reader: StateReader;
  readonly #pages: (SharedArrayBuffer | undefined)[];
  readonly #waiting = new Set<number>();

  /** `kept`: those of a start before. */
  constructor(reader: StateReader, kept: ConnectionPages = []) {
    this.#reader = reader;
    this.#pages = [...kept];
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** So many wait that some have to be counted before others are noted. */
  get isFull(): boolean {
    return this.#waiting.size >= SEARCH_CONNECTIONS_WAITING_MAX;
  }

  /** Edges of the node have changed. The reader need not see that yet. */
  note(node: number): void {
    this.#waiting.add(node);
  }

  /** Counts some of the nodes that wait, whose changes the reader sees. */
  work(): void {
    let left = SEARCH_BATCH_NODES_MAX;
    for (const node of this.#waiting) {
      this.#waiting.delete(node);
      this.count(node);
      if (--left === 0) break;
    }
  }

  count(node: number): void {
    const count = this.#reader.connections(node, SEARCH_CONNECTIONS_MAX);
    const number = Math.floor(node / PAGE_IDS);
    let page = this.#pages[number];
    if (page === undefined) {
      if (count === 0) return;
      page = new SharedArrayBuffer(PAGE_BYTES);
      while (this.#pages.length < number) this.#pages.push(undefined);
      this.#pages[number] = page;
    }
    new Uint16Array(page)[node % PAGE_IDS] = count;
  }

  /** The pages change when nodes are counted. */
  share(): ConnectionPages {
    return [...this.#pages];
  }
}
