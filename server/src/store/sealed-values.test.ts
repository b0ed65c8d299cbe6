import { expect, it } from 'vitest';
import {
  OPENED_ENTRIES_MAX,
  OPENED_HALF_BYTES,
  OPENED_VALUE_BYTES_MAX,
  OpenedValues,
  type SealedPlace,
} from './sealed-values.ts';

const HEAD_BYTES = 3;
const TAG_BYTES = 16;

/** A value as `sealed-values.ts` stores it; it begins with the numbers of salt and counter. */
function place(counter: number, bytes: number, { db = 1, key = counter, salt = 1 } = {}) {
  const stored = new Uint8Array(HEAD_BYTES + bytes + TAG_BYTES).fill(counter % 251);
  stored.set([salt, counter, counter >>> 8]);
  return {
    db,
    key: Uint8Array.of(0, key >>> 16, key >>> 8, key),
    stored,
    counter,
    start: HEAD_BYTES,
    tagAt: HEAD_BYTES + bytes,
  } satisfies SealedPlace;
}

const valueOf = ({ counter, start, tagAt }: SealedPlace): Uint8Array =>
  new Uint8Array(tagAt - start).fill(counter + 1);

function keep(opened: OpenedValues, from: number, to: number, bytes: number): void {
  for (let counter = from; counter <= to; counter++) {
    const one = place(counter, bytes);
    opened.keep(one, valueOf(one));
  }
}

it('answers what was kept, and nothing for another place, number, length or tag', () => {
  const opened = new OpenedValues();
  const kept = place(7, 40);
  opened.keep(kept, valueOf(kept));
  expect(opened.find(kept)).toEqual(valueOf(kept));
  const otherTag = place(7, 40);
  otherTag.stored.fill(0, otherTag.tagAt);
  const others = [
    place(7, 40, { db: 2 }),
    place(7, 40, { key: 8 }),
    place(7, 40, { salt: 2 }),
    { ...place(7, 40), key: Uint8Array.of(0, 0, 0, 7, 0) },
    place(7, 41),
    place(8, 40, { key: 7 }),
    otherTag,
  ];
  for (const other of others) expect(opened.find(other)).toBeUndefined();
  expect(opened.find(kept)).toEqual(valueOf(kept));
});

it('keeps what salts have counted alike', () => {
  const opened = new OpenedValues();
  const places = [1, 2, 3].map((salt) => place(9, 20, { salt, key: salt }));
  for (const [i, one] of places.entries()) opened.keep(one, Buffer.alloc(20, i));
  for (const [i, one] of places.entries()) {
    expect(opened.find(one)).toEqual(new Uint8Array(20).fill(i));
  }
});

it('does not change when somebody writes into an answer', () => {
  const opened = new OpenedValues();
  const kept = place(7, 40);
  opened.keep(kept, valueOf(kept));
  opened.find(kept)!.fill(0);
  expect(opened.find(kept)).toEqual(valueOf(kept));
});

it.each([
  { bytes: 0, isKept: true },
  { bytes: OPENED_VALUE_BYTES_MAX - 1, isKept: true },
  { bytes: OPENED_VALUE_BYTES_MAX, isKept: true },
  { bytes: OPENED_VALUE_BYTES_MAX + 1, isKept: false },
])('a value of $bytes bytes is kept: $isKept', ({ bytes, isKept }) => {
  const opened = new OpenedValues();
  const one = place(1, bytes);
  opened.keep(one, valueOf(one));
  const found = opened.find(one);
  expect(found === undefined ? undefined : Buffer.compare(found, valueOf(one))).toBe(
    isKept ? 0 : undefined,
  );
});

it.each([
  { limit: 'bytes', bytes: 8_192, count: Math.floor(OPENED_HALF_BYTES / (8_192 + 29)) },
  { limit: 'entries', bytes: 8, count: OPENED_ENTRIES_MAX },
])('forgets what was not asked for once two halves are full: $limit', ({ bytes, count }) => {
  const opened = new OpenedValues();
  const [asked, forgotten] = [place(1, bytes), place(2, bytes)];
  keep(opened, 1, count, bytes);
  // The second half begins; a value that is asked for now is copied into it.
  keep(opened, count + 1, count + 1, bytes);
  expect(opened.find(asked)).toEqual(valueOf(asked));
  keep(opened, count + 2, 2 * count - 1, bytes);
  expect(opened.find(forgotten)).toEqual(valueOf(forgotten));
  // That value was copied too, and it filled the second half. The next value empties the first half
  // and goes there.
  keep(opened, 2 * count, 2 * count, bytes);
  for (const gone of [3, 4, count]) expect(opened.find(place(gone, bytes))).toBeUndefined();
  for (const still of [1, 2, count + 1, 2 * count - 1, 2 * count]) {
    expect(opened.find(place(still, bytes))).toEqual(valueOf(place(still, bytes)));
  }
});
