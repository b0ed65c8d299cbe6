/** The series of colors in the tokens. */
const SERIES_COUNT = 8;

/**
 * A color of `--color-series-1` to `-8` for each type, by its number from 0. It stays the same
 * while the page is open.
 */
export class TypeSlots {
  readonly #slots = new Map<string, number>();

  /**
   * By the name of the type, so that it is the same elsewhere; another one where that is taken and
   * one is free.
   */
  of(type: string): number {
    const known = this.#slots.get(type);
    if (known !== undefined) return known;
    const taken = new Set(this.#slots.values());
    const wanted = hash(type) % SERIES_COUNT;
    let slot = wanted;
    if (taken.size < SERIES_COUNT) while (taken.has(slot)) slot = (slot + 1) % SERIES_COUNT;
    this.#slots.set(type, slot);
    return slot;
  }
}

/** What is drawn on a canvas cannot name a token, so they are read. */
export interface CanvasColors {
  readonly series: readonly string[];
  readonly surface: string;
  readonly raised: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
}

/** As the theme of the page has them now. */
export function readCanvasColors(): CanvasColors {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--color-${name}`).trim();
  return {
    series: Array.from({ length: SERIES_COUNT }, (_, slot) => token(`series-${slot + 1}`)),
    surface: token('surface'),
    raised: token('raised'),
    ink: token('ink'),
    muted: token('muted'),
    line: token('line'),
    accent: token('accent'),
  };
}

/**
 * How much of its color an edge has; the rest is that of the background, so that nodes stand out.
 */
const EDGE_SHARE = 0.6;

/** The colors of the types of nodes and of edges, in one theme. */
export class TypeColors {
  readonly canvas: CanvasColors;
  readonly #nodeSlots: TypeSlots;
  readonly #edgeSlots: TypeSlots;
  readonly #edgeSeries: readonly string[];

  constructor(canvas: CanvasColors, nodeSlots: TypeSlots, edgeSlots: TypeSlots) {
    this.canvas = canvas;
    this.#nodeSlots = nodeSlots;
    this.#edgeSlots = edgeSlots;
    this.#edgeSeries = canvas.series.map((color) => mix(color, canvas.surface, EDGE_SHARE));
  }

  node(type: string): string {
    return this.canvas.series[this.#nodeSlots.of(type)] ?? this.canvas.muted;
  }

  edge(type: string): string {
    return this.#edgeSeries[this.#edgeSlots.of(type)] ?? this.canvas.line;
  }
}

/** So much of one color in another; both `#rgb` or `#rrggbb`. */
export function mix(color: string, into: string, share: number): string {
  const [a, b] = [channels(color), channels(into)];
  const mixed = a.map((value, at) => Math.round(value * share + (b[at] ?? 0) * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): number[] {
  const digits = color.slice(1);
  const long = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16) || 0);
}

/** FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 32 bits. */
function hash(text: string): number {
  let value = 0x811c_9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x0100_0193) >>> 0;
  }
  return value;
}
