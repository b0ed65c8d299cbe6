import { parentPort } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { JSON_BODY_DEPTH_MAX, JSON_BODY_VALUES_MAX, JSON_PIECE_CHARACTERS } from '#base/limits.ts';
import {
  type JsonAnswer,
  type JsonReading,
  type JsonRequest,
  planJson,
  TooManyValues,
} from './json-plan.ts';

/**
 * The thread that decodes, counts, checks and cuts large bodies of JSON. It holds nothing between
 * two of them.
 */
const port = must(parentPort, 'the port of a thread');

const LIMITS = {
  pieceCharacters: JSON_PIECE_CHARACTERS,
  depthMax: JSON_BODY_DEPTH_MAX,
  valuesMax: JSON_BODY_VALUES_MAX,
};

port.on('message', ({ id, bytes, wants }: JsonRequest) => {
  const answer: JsonAnswer = { id, ...readingOf(bytes, wants) };
  port.postMessage(answer);
});

function readingOf(bytes: Uint8Array<ArrayBuffer>, wants: JsonRequest['wants']): JsonReading {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  try {
    // Counted first: what has too many values is not made.
    const { plan, values } = planJson(text, LIMITS);
    if (wants === 'text') return { plan: text, values };
    JSON.parse(text);
    return { plan, values };
  } catch (error) {
    if (error instanceof TooManyValues) return { fault: 'too-many-values' };
    if (error instanceof SyntaxError) return { fault: 'malformed' };
    throw error;
  }
}
