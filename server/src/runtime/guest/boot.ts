import { drain, emit, Problem, settle } from './channel.ts';
import { parse, SafeMap, stringify, text, whenResolved } from './primordials.ts';
import type { OpenedReply } from './reply.ts';
import { Reply } from './reply.ts';
import { Scope, Signal } from './scope.ts';
import type { Call } from './scope.ts';

/**
 * What the host holds of a guest. Every argument is a primitive, and of what is returned the host
 * uses texts only.
 */
export interface GuestBridge {
  /**
   * `makeEndpoint` and `zod` are the guest's own: the host ran them in the guest's realm and only
   * passes them on. Gives the empty text, or a failure as JSON text.
   */
  define(makeEndpoint: unknown, isReadOnly: boolean, zod: unknown): string;
  /** `body` is JSON text, empty for none. `headers` and `user` are JSON texts. */
  start(call: number, body: string, headers: string, user: string): void;
  settle(request: number, isValue: boolean, payload: string): void;
  abort(call: number): void;
  /** What was collected since the last time: see `frame.ts`; empty for nothing. */
  drain(): string;
}

type Endpoint = (scope: Scope) => unknown;

/** What a script gives that exports an `input` beside its endpoint. */
interface EndpointWithInput {
  readonly main: Endpoint;
  readonly input: Input;
}

/** A schema of zod, as far as it is used here. */
interface Input {
  safeParseAsync(value: unknown): Promise<Parsed>;
}

interface Parsed {
  readonly success: boolean;
  readonly data: unknown;
  readonly error?: { readonly issues: readonly Issue[] };
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

let endpoint: Endpoint | undefined;
let endpointIsReadOnly = true;
let endpointInput: Input | undefined;
const signals = new SafeMap<number, Signal>();

function define(makeEndpoint: unknown, isReadOnly: boolean, zod: unknown): string {
  try {
    endpointIsReadOnly = isReadOnly;
    if (zod !== undefined) {
      Reflect.defineProperty(globalThis, 'z', { value: zod, writable: true, configurable: true });
    }
    const made = (makeEndpoint as () => Endpoint | EndpointWithInput)();
    if (typeof made === 'function') {
      endpoint = made;
    } else {
      endpoint = made.main;
      endpointInput = inputOf(made.input);
    }
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
  if (endpointInput === undefined) launch(call);
  else launchChecked(call, endpointInput);
}

/** The endpoint is given what `input` makes of the body, or is not called at all. */
function launchChecked(call: Call, input: Input): void {
  const { id } = call;
  const refuse = (error: unknown) => fail(id, error);
  try {
    whenResolved(
      input.safeParseAsync(call.body),
      (result) => {
        const { success, data, error } = result as Parsed;
        if (success) {
          launch({ ...call, body: data });
        } else {
          signals.delete(id);
          emit(`"invalid",${id}`, stringify(faultsOf(error?.issues ?? [])));
        }
      },
      refuse,
    );
  } catch (error) {
    refuse(error);
  }
}

function launch(call: Call): void {
  const { id } = call;
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

function inputOf(value: unknown): Input {
  const { safeParseAsync } = Object(value) as Partial<Input>;
  if (typeof safeParseAsync === 'function') return value as Input;
  throw new TypeError('input is a schema: export const input = z.object({ ... })');
}

function faultsOf(issues: readonly Issue[]): { path: string; message: string }[] {
  const faults: { path: string; message: string }[] = [];
  for (let i = 0; i < issues.length; i++) {
    const { code, path, message, keys } = issues[i] as Issue;
    const at = (tail: readonly PropertyKey[]) => [...path, ...tail].map(text).join('.');
    if (code === 'unrecognized_keys' && keys !== undefined) {
      for (const key of keys) {
        faults[faults.length] = { path: at([key]), message: 'is not known here' };
      }
    } else {
      faults[faults.length] = { path: at([]), message };
    }
  }
  return faults;
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
