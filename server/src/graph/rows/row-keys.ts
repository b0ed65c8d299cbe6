/** The keys of `rows` besides that of its state: a kind, and the number of a block or chunk. */
export const ROW_KIND = { out: 1, in: 2, columns: 3 } as const;

export type RowKind = (typeof ROW_KIND)[keyof typeof ROW_KIND];

/** Valid until the next call. */
export function rowKey(kind: RowKind, number: number): Uint8Array {
  KEY[0] = kind;
  KEY[1] = number >>> 24;
  KEY[2] = number >>> 16;
  KEY[3] = number >>> 8;
  KEY[4] = number;
  return KEY;
}

const KEY = new Uint8Array(5);
