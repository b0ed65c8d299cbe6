import { type BodyShape, faultsOfBody } from './body-shape.ts';
import { emit, Problem } from './channel.ts';
import { parse, SafeMap, stringify, text, whenResolved } from './primordials.ts';
import { endRemarks } from './remarks.ts';
import type { OpenedReply } from './reply.ts';
import { Reply } from './reply.ts';
import { Scope, Signal } from './scope.ts';
import type { Call } from './scope.ts';

export type Endpoint = (scope: Scope) => unknown;

/** One endpoint, loaded into this realm. */
export interface LoadedEndpoint {
  readonly main: Endpoint;
  readonly input: Input | undefined;
  /** What its body is by its type; not looked at where there is an `input`. */
  readonly shape: BodyShape | undefined;
  readonly isReadOnly: boolean;
}

/** What a script gives that says what bodies its endpoint takes: see `compile/script.ts`. */
interface EndpointWithInput {
  readonly main: Endpoint;
  readonly input?: Input;
  /** A `BodyShape` as JSON text. */
  readonly shape?: string;
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

/** What an endpoint is called with, as JSON texts; the body is empty for none. */
export interface CallTexts {
  readonly body: string;
  readonly headers: string;
  readonly user: string;
}

const signals = new SafeMap<number, Signal>();

/** From what the script of an endpoint gives: its function, or that and what bodies it takes. */
export function loadedEndpoint(made: unknown, isReadOnly: boolean): LoadedEndpoint {
  if (typeof made === 'function') {
    return { main: made as Endpoint, input: undefined, shape: undefined, isReadOnly };
  }
  const { main, input, shape } = made as EndpointWithInput;
  return shape === undefined
    ? { main, input: inputOf(input), shape, isReadOnly }
    : { main, input: undefined, shape: parse(shape) as BodyShape, isReadOnly };
}

/** Calls an endpoint; what comes of it is emitted under the number of the call. */
export function startCall(
  id: number,
  { main, input, shape, isReadOnly }: LoadedEndpoint,
  { body, headers, user }: CallTexts,
): void {
  let parsed: unknown;
  try {
    parsed = body === '' ? undefined : parse(body);
  } catch (error) {
    emit(`"malformed",${id}`, messageOf(error));
    return;
  }
  const faults = shape === undefined ? [] : faultsOfBody(parsed, shape);
  if (faults.length > 0) {
    emit(`"invalid",${id}`, stringify(faults));
    return;
  }
  const signal = new Signal();
  signals.set(id, signal);
  const call = { id, isReadOnly, body: parsed, headers, user, signal };
  if (input === undefined) launch(call, main);
  else launchChecked(call, main, input);
}

/** Tells the code of a call that its caller has gone. */
export function abortCall(id: number): void {
  const signal = signals.get(id);
  if (signal !== undefined) Signal.abort(signal);
}

/** The endpoint is given what `input` makes of the body, or is not called at all. */
function launchChecked(call: Call, main: Endpoint, input: Input): void {
  const { id } = call;
  const refuse = (error: unknown) => fail(id, error);
  try {
    whenResolved(
      input.safeParseAsync(call.body),
      (result) => {
        const { success, data, error } = result as Parsed;
        if (success) {
          launch({ ...call, body: data }, main);
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

function launch(call: Call, main: Endpoint): void {
  const { id } = call;
  try {
    const result = main(new Scope(call));
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
  endRemarks(id);
  const reply = Reply.open(value) ?? { status: 200, value };
  try {
    answer(id, reply);
  } catch (error) {
    // A value that is no JSON: a bigint, a cycle, a toJSON that throws.
    emit(`"failure",${id}`, describe(error));
  }
}

function answer(id: number, { status, value, location, message, problem }: OpenedReply): void {
  if (problem !== undefined) emit(`"problem",${id}`, problem);
  else if (message !== undefined) emit(`"refusal",${id},${status}`, message);
  else if (location !== undefined) emit(`"redirect",${id},${status}`, location);
  else emit(`"answer",${id},${status}`, stringify(value) ?? 'null');
}

function fail(id: number, error: unknown): void {
  if (Reply.open(error) !== undefined) {
    finish(id, error);
  } else {
    signals.delete(id);
    endRemarks(id);
    emit(`"failure",${id}`, describe(error));
  }
}

/** Whatever was thrown, as JSON text. It may be anything, with getters that throw in turn. */
export function describe(error: unknown): string {
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
