import { drain, emit, Problem, settle } from './channel.ts';
import { parse, SafeMap, stringify, text, whenResolved } from './primordials.ts';
import type { OpenedReply } from './reply.ts';
import { Reply } from './reply.ts';
import { Scope, Signal } from './scope.ts';

/**
 * What the host holds of a guest. Every argument is a primitive, and of what is returned the host
 * uses texts only.
 */
export interface GuestBridge {
  /**
   * `makeEndpoint` is the guest's own: the host compiled it in the guest's realm and only passes it
   * on. Gives the empty text, or a failure as JSON text.
   */
  define(makeEndpoint: unknown, isReadOnly: boolean): string;
  /** `body` is JSON text, empty for none. `headers` and `user` are JSON texts. */
  start(call: number, body: string, headers: string, user: string): void;
  settle(request: number, isValue: boolean, payload: string): void;
  abort(call: number): void;
  /** What was collected since the last time: see `frame.ts`; empty for nothing. */
  drain(): string;
}

type Endpoint = (scope: Scope) => unknown;

let endpoint: Endpoint | undefined;
let endpointIsReadOnly = true;
const signals = new SafeMap<number, Signal>();

function define(makeEndpoint: unknown, isReadOnly: boolean): string {
  try {
    endpoint = (makeEndpoint as () => Endpoint)();
    endpointIsReadOnly = isReadOnly;
    return '';
  } catch (error) {
    return describe(error);
  }
}

function start(id: number, body: string, headers: string, user: string): void {
  let parsed: unknown;
  try {
    parsed = body === '' ? undefined : parse(body);
  } catch (error) {
    emit(`"malformed",${id}`, messageOf(error));
    return;
  }
  const signal = new Signal();
  signals.set(id, signal);
  const call = { id, isReadOnly: endpointIsReadOnly, body: parsed, headers, user, signal };
  try {
    const result = (endpoint as Endpoint)(new Scope(call));
    whenResolved(
      result,
      (value) => finish(id, value),
      (error) => fail(id, error),
    );
  } catch (error) {
    fail(id, error);
  }
}

function finish(id: number, value: unknown): void {
  signals.delete(id);
  const reply = Reply.open(value) ?? { status: 200, value };
  try {
    answer(id, reply);
  } catch (error) {
    // A value that is no JSON: a bigint, a cycle, a toJSON that throws.
    emit(`"failure",${id}`, describe(error));
  }
}

function answer(id: number, { status, value, location, message }: OpenedReply): void {
  if (message !== undefined) emit(`"refusal",${id},${status}`, message);
  else if (location !== undefined) emit(`"redirect",${id},${status}`, location);
  else emit(`"answer",${id},${status}`, stringify(value) ?? 'null');
}

function fail(id: number, error: unknown): void {
  if (Reply.open(error) !== undefined) {
    finish(id, error);
  } else {
    signals.delete(id);
    emit(`"failure",${id}`, describe(error));
  }
}

/** Whatever was thrown, as JSON text. It may be anything, with getters that throw in turn. */
function describe(error: unknown): string {
  try {
    const { stack } = Object(error) as { stack?: unknown };
    const code = error instanceof Problem ? error.code : undefined;
    return stringify({ message: messageOf(error), stack: text(stack ?? ''), code });
  } catch {
    return '{"message":"an error that cannot be shown","stack":""}';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : text(error);
}

function abort(id: number): void {
  const signal = signals.get(id);
  if (signal !== undefined) Signal.abort(signal);
}

export const bridge: GuestBridge = { define, start, settle, abort, drain };
