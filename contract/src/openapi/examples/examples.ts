import type { Operation } from '../../operation.ts';
import { isJsonObject, type JsonSchema } from '../shape-schemas.ts';
import answers from './answers.json' with { type: 'json' };
import { type AnyExample, requests } from './requests.ts';

interface RecordedAnswer {
  readonly status: number;
  /** JSON, or a text; absent for bytes and for nothing. */
  readonly body?: unknown;
}

const REQUESTS: Readonly<Record<string, AnyExample | undefined>> = requests;
const ANSWERS: Readonly<Record<string, RecordedAnswer | undefined>> = answers;

/** A request that a test sends; undefined where there is none. */
export function requestExample({ id }: Operation): AnyExample | undefined {
  return REQUESTS[id];
}

/** What it was answered: lists and long texts are not whole. */
export function answerExample({ id }: Operation): RecordedAnswer | undefined {
  return ANSWERS[id];
}

/** The value of a parameter as the type of its schema has it. */
export function parameterExample(
  operation: Operation,
  place: 'params' | 'query',
  name: string,
  { type }: JsonSchema,
): { readonly example?: unknown } {
  const value = REQUESTS[operation.id]?.[place]?.[name];
  if (typeof value !== 'string') return {};
  if (type === 'integer' || type === 'number') return { example: Number(value) };
  if (type === 'boolean') return { example: value === 'true' };
  return { example: type === 'array' ? value.split(',') : value };
}

/** The same content, with what was answered as its example. */
export function withExample(content: unknown, example: unknown): unknown {
  const [type, ...others] = isJsonObject(content) ? Object.keys(content) : [];
  if (example === undefined || type === undefined || !isJsonObject(content)) return content;
  const isText = typeof example === 'string' && type === 'application/json';
  // A text is what a stream of events says, where there is a choice.
  const of = isText ? (others.find((one) => one === 'text/event-stream') ?? type) : type;
  return { ...content, [of]: { ...Object(content[of]), example } };
}
