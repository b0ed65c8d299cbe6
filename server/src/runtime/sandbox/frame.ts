/**
 * One message between threads, or between host and guest: many items in one text. A line of JSON
 * holds the items, each beginning with the length of its payload; the payloads follow, one after
 * the other, as they are. So a large JSON text travels without being escaped and parsed on its way.
 */
export class FrameWriter {
  #head = '';
  #payloads = '';
  #items = 0;

  /** How many were pushed since the last time. */
  get items(): number {
    return this.#items;
  }

  get isEmpty(): boolean {
    return this.#head === '';
  }

  /** `item` is the inside of a JSON array: `"call",1,2`. */
  push(item: string, payload: string): void {
    this.#head += `${this.#head === '' ? '[' : ','}[${payload.length},${item}]`;
    this.#payloads += payload;
    this.#items++;
  }

  /** The frame of everything pushed since the last time. */
  take(): string {
    const frame = `${this.#head}]\n${this.#payloads}`;
    this.#head = '';
    this.#payloads = '';
    this.#items = 0;
    return frame;
  }
}

/** The length of its payload, then what was pushed. */
export type FrameItem = readonly [length: number, kind: unknown, ...rest: unknown[]];

/** Throws for a text that is no frame: the other side may be out of its mind. */
export function readFrame(frame: string, visit: (item: FrameItem, payload: string) => void): void {
  const lineEnd = frame.indexOf('\n');
  const items: unknown = JSON.parse(frame.slice(0, lineEnd));
  if (!Array.isArray(items)) throw new TypeError('a frame is a list of items');
  let start = lineEnd + 1;
  for (let i = 0; i < items.length; i++) {
    const item: unknown = items[i];
    if (!isItem(item)) throw new TypeError('an item of a frame begins with a length');
    visit(item, frame.slice(start, (start += item[0])));
  }
}

function isItem(value: unknown): value is FrameItem {
  return Array.isArray(value) && typeof value[0] === 'number' && value[0] >= 0;
}
