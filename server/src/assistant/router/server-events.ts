import { LLM_ANSWER_BYTES_MAX, LLM_STREAM_BYTES_MAX } from '#base/assistant-limits.ts';
import { misconfigured } from './provider-problem.ts';

/** One event of a stream (HTML standard, section 9.2). */
export interface ServerEvent {
  readonly data: string;
  /** The text from the provider, with the blank line that ends the event. */
  readonly raw: string;
}

/**
 * Splits a stream into pieces of whole events, as soon as each event is complete: so when a
 * provider stops sending, the text still ends between two events. Throws `llm_misconfigured` when
 * it is too large.
 */
export async function* wholeEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let waiting: string[] = [];
  let characters = 0;
  let bytes = 0;
  // A blank line may be split between two chunks. Only the end of the last chunk is searched again.
  let tail = '';
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    const end = endOfEvents(tail + text) - tail.length;
    if (end > 0) {
      yield waiting.join('') + text.slice(0, end);
      text = text.slice(end);
      waiting = [];
      characters = 0;
      tail = '';
    }
    waiting.push(text);
    tail = (tail + text).slice(-TAIL_CHARACTERS);
    characters += text.length;
    bytes += chunk.length;
    if (characters > LLM_ANSWER_BYTES_MAX || bytes > LLM_STREAM_BYTES_MAX) {
      throw misconfigured('answers with more than is taken from one.');
    }
  }
  // Some servers leave out the last line break.
  if (tail.endsWith('\n')) yield `${waiting.join('')}\n`;
}

const TAIL_CHARACTERS = 2;

/** The offset after the last blank line; 0 when there is none. */
function endOfEvents(text: string): number {
  const short = text.lastIndexOf('\n\n');
  const long = text.lastIndexOf('\n\r\n');
  return Math.max(short < 0 ? 0 : short + 2, long < 0 ? 0 : long + 3);
}

/** The events of a piece that have data. */
export function* eventsIn(text: string): Generator<ServerEvent, void, undefined> {
  let start = 0;
  while (start < text.length) {
    const end = endOfEvent(text, start);
    const raw = text.slice(start, end);
    start = end;
    // Nearly all events are a single line.
    if (raw.startsWith('data: ') && raw.indexOf('\n') === raw.length - 2) {
      yield { data: raw.slice(6, -2), raw };
      continue;
    }
    const lines = raw.split('\n').filter((line) => line.startsWith('data:'));
    if (lines.length > 0) yield { data: lines.map(dataOf).join('\n'), raw };
  }
}

/** The offset after the next blank line. */
function endOfEvent(text: string, start: number): number {
  for (let at = text.indexOf('\n', start); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text[at + 1] === '\n') return at + 2;
    if (text[at + 1] === '\r' && text[at + 2] === '\n') return at + 3;
  }
  return text.length;
}

function dataOf(line: string): string {
  const end = line.endsWith('\r') ? -1 : undefined;
  return line.slice(line.startsWith('data: ') ? 6 : 5, end);
}

/** The text of all chunks; undefined when it is too large. Then it stops reading. */
export async function textWithin(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | undefined> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    all.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(all, bytes));
}
