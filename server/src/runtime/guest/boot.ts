import { abortCall, describe, loadedEndpoint, startCall } from './calls.ts';
import type { LoadedEndpoint } from './calls.ts';
import { drain, settle } from './channel.ts';
import { apply } from './primordials.ts';

/**
 * What the host holds of a guest. Every argument is a primitive, and of what is returned the host
 * uses texts only.
 */
export interface GuestBridge {
  /** `zod` is the guest's own: the host ran it in the guest's realm and only passes it on. */
  provide(zod: unknown): void;
  /** What is made next imports the module of this number. */
  importNext(module: number): void;
  /**
   * Makes the next module; the first one has the number 0. `makeModule` is the guest's own. Gives
   * the empty text, or a failure as JSON text.
   */
  addModule(makeModule: unknown): string;
  /** The same for the endpoint, after all modules. */
  define(makeEndpoint: unknown, isReadOnly: boolean): string;
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

function provide(zod: unknown): void {
  if (zod === undefined) return;
  Reflect.defineProperty(globalThis, 'z', { value: zod, writable: true, configurable: true });
}

/** Without a prototype, which modules may have changed. */
interface Row {
  length: number;
  [place: number]: unknown;
}

/** What each module exports. */
const exportsOfModules: Row = emptyRow();
let imported: Row = emptyRow();

function emptyRow(): Row {
  return { __proto__: null, length: 0 } as Row;
}

function importNext(module: number): void {
  imported[imported.length++] = exportsOfModules[module];
}

function addModule(makeModule: unknown): string {
  try {
    exportsOfModules[exportsOfModules.length++] = madeOfImports(makeModule);
    return '';
  } catch (error) {
    return describe(error);
  }
}

function define(makeEndpoint: unknown, isReadOnly: boolean): string {
  try {
    endpoint = loadedEndpoint(madeOfImports(makeEndpoint), isReadOnly);
    return '';
  } catch (error) {
    return describe(error);
  }
}

function madeOfImports(make: unknown): unknown {
  const given = imported;
  imported = emptyRow();
  return apply(make as () => unknown, undefined, given as ArrayLike<unknown> as unknown[]);
}

function start(call: number, body: string, headers: string, user: string): void {
  startCall(call, endpoint as LoadedEndpoint, { body, headers, user });
}

export const bridge: GuestBridge = {
  provide,
  importNext,
  addModule,
  define,
  start,
  settle,
  abort: abortCall,
  drain,
};
