import { abortCall, describe, loadedEndpoint, startCall } from './calls.ts';
import type { LoadedEndpoint } from './calls.ts';
import { drain, settle } from './channel.ts';

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

/**
 * The innermost places of a stack, and no hook of the script's own to make something else of them.
 */
const STACK_FRAMES_MAX = 20;
Error.stackTraceLimit = STACK_FRAMES_MAX;
Reflect.defineProperty(Error, 'prepareStackTrace', { value: undefined });

// Not there in an endpoint: threads, code made at run time, and callbacks that no turn of an
// endpoint is answerable for.
for (const name of [
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'FinalizationRegistry',
  'WeakRef',
  'console',
]) {
  Reflect.deleteProperty(globalThis, name);
}

let endpoint: LoadedEndpoint | undefined;

function define(makeEndpoint: unknown, isReadOnly: boolean, zod: unknown): string {
  try {
    if (zod !== undefined) {
      Reflect.defineProperty(globalThis, 'z', { value: zod, writable: true, configurable: true });
    }
    endpoint = loadedEndpoint((makeEndpoint as () => unknown)(), isReadOnly);
    return '';
  } catch (error) {
    return describe(error);
  }
}

function start(call: number, body: string, headers: string, user: string): void {
  startCall(call, endpoint as LoadedEndpoint, { body, headers, user });
}

export const bridge: GuestBridge = { define, start, settle, abort: abortCall, drain };
