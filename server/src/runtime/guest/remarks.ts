import { announce, beforeDrain, emit } from './channel.ts';
import { parse, SafeMap, stringify } from './primordials.ts';

/**
 * More lines of one call are counted only; the same number as ENDPOINT_LOG_LINES_MAX, at which the
 * host says so.
 */
const LOG_LINES_MAX = 1_000;
/** One more than ENDPOINT_LOG_CHARACTERS_MAX: the host sees that there was more. */
const LOG_CHARACTERS_MAX = 8_193;
/** As ENDPOINT_PROGRESS_CHARACTERS_MAX. */
const PROGRESS_CHARACTERS_MAX = 200;
const sliceAtFirst = String.prototype.slice;
const applyAtFirst = Reflect.apply;

interface NewestProgress {
  fraction: number | null;
  words: string | null;
}

/**
 * What the code of a call says on its way, however often: of its progress the newest is kept until
 * the host fetches it, of its log so many lines, each no longer than what is kept of it.
 */
const progresses = new SafeMap<number, NewestProgress>();
const lines = new SafeMap<number, number>();

beforeDrain(() => {
  if (progresses.size === 0) return;
  progresses.forEach(say);
  progresses.clear();
});

export function noteProgress(call: number, fraction: unknown, words: unknown): void {
  const newest = {
    fraction: typeof fraction === 'number' ? fraction : null,
    words: typeof words === 'string' ? copied(words, PROGRESS_CHARACTERS_MAX) : null,
  };
  if (!progresses.has(call)) announce();
  progresses.set(call, newest);
}

export function noteLine(call: number, level: string, record: () => string): void {
  const count = (lines.get(call) ?? 0) + 1;
  lines.set(call, count);
  if (count > LOG_LINES_MAX) return;
  emit(`"log",${call},"${level}"`, copied(record(), LOG_CHARACTERS_MAX));
}

/** The call is over: what it said last, and how much it said in vain. */
export function endRemarks(call: number): void {
  const last = progresses.get(call);
  if (last !== undefined) say(last, call);
  progresses.delete(call);
  // In place of the last of them the host says that there are too many.
  const left = (lines.get(call) ?? 0) - LOG_LINES_MAX + 1;
  lines.delete(call);
  if (left > 0) emit(`"unlogged",${call},${left}`, '');
}

/** Made of primitives only: no code of the endpoint runs while the host fetches. */
function say({ fraction, words }: NewestProgress, call: number): void {
  emit(`"progress",${call}`, `{"fraction":${stringify(fraction)},"text":${stringify(words)}}`);
}

/** The beginning of a text, which does not keep the rest of it alive. */
function copied(value: string, length: number): string {
  if (value.length <= length) return value;
  return parse(stringify(applyAtFirst(sliceAtFirst, value, [0, length]))) as string;
}
