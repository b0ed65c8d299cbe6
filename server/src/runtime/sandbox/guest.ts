import { Script } from 'node:vm';

import vm from 'node:vm';
import type { HostedCall } from './call-transactions.ts';
import { IdMap } from './id-map.ts';
import type { GuestBridge } from '../guest/boot.ts';
import type { CompiledScript } from './compiled-script.ts';

export interface GuestOptions {
  /** By which the main thread names it, from 1. */
  readonly number: number;
  /** Its value is the guest's side of the bridge. */
  readonly boot: vm.Script;
  /** Its value is `z`; run only for scripts that name it. */
  readonly zod: LazyScript;
  /** What its script imports, each after what it imports itself. */
  readonly modules: readonly ImportingScript[];
  /** See `compile/script.ts`. */
  readonly script: ImportingScript;
  readonly isReadOnly: boolean;
}

/** A script, and what it is called with: places in the list of the modules. */
export interface ImportingScript {
  readonly compiled: () => CompiledScript;
  readonly imports: readonly number[];
}

/**
 * One version of an endpoint in a realm of its own, which lives as long as that version is called:
 * its globals last from one call to the next. It has the language and its scope, and nothing of
 * Node.
 *
 * The host calls the guest; the guest has no way to call the host. Whatever a function of the guest
 * gives back, or throws, may be any object of the guest: only a text is used, and nothing is ever
 * read from an object.
 */
export class Guest {
  readonly number: number;
  /** Those that run here. */
  readonly calls = new IdMap<HostedCall>();
  /** Undefined once it is loaded. */
  #options: GuestOptions | undefined;
  #actions: (() => void)[] = [];
  #bridge: GuestBridge | undefined;
  /** Why it cannot be loaded, as JSON text. */
  #failure: string | undefined;

  constructor(options: GuestOptions) {
    this.number = options.number;
    this.#options = options;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  get hasPlans(): boolean {
    return this.#actions.length > 0;
  }

  /** To be done when the guest is entered next. */
  plan(action: () => void): void {
    this.#actions.push(action);
  }

  /** Does what was planned. Code of the endpoint runs in here, the first time its top level too. */
  enter(): void {
    const actions = this.#actions;
    this.#actions = [];
    if (this.#options !== undefined) this.#load(this.#options);
    for (const action of actions) action();
  }

  start(call: number, body: string, headers: string, user: string): void {
    withoutThrowing(() => this.#bridge?.start(call, body, headers, user));
  }

  settle(request: number, isValue: boolean, payload: string): void {
    withoutThrowing(() => this.#bridge?.settle(request, isValue, payload));
  }

  abort(call: number): void {
    withoutThrowing(() => this.#bridge?.abort(call));
  }

  /** A frame, or the empty text. */
  drain(): string {
    let frame: unknown;
    withoutThrowing(() => {
      frame = this.#bridge?.drain();
    });
    return typeof frame === 'string' ? frame : '';
  }

  #load({ boot, zod, modules, script, isReadOnly }: GuestOptions): void {
    const own = compiled(script);
    const imported = modules.map(compiled);
    const scripts = [...imported, own].map((one) => one.compiled);
    const fault = scripts.map((one) => one.fault).find((found) => found !== undefined);
    if (fault !== undefined) {
      this.#end(failureText(fault));
      return;
    }
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
      codeGeneration: { strings: false, wasm: false },
      name: own.compiled.fileName,
    });
    // The script is ours: its value is what its type says.
    const bridge = boot.runInContext(context) as GuestBridge;
    const ended = (failure: unknown): string =>
      typeof failure === 'string' ? failure : failureText('it cannot be loaded');
    let failure = '';
    try {
      // An object of the guest, which is only passed on. It takes milliseconds to make.
      const namesZod = scripts.some((one) => one.namesZod);
      bridge.provide(namesZod ? zod.runInContext(context) : undefined);
      for (const module of imported) {
        const made = madeIn(context, module, bridge);
        failure ||= ended(bridge.addModule(made));
      }
      failure ||= ended(bridge.define(madeIn(context, own, bridge), isReadOnly));
    } catch {
      failure ||= failureText('the code cannot be loaded');
    }
    this.#end(failure, bridge);
  }

  /** It is loaded, or has failed; the scripts are for others to keep. */
  #end(failure: string, bridge?: GuestBridge): void {
    this.#options = undefined;
    if (failure === '') this.#bridge = bridge;
    else this.#failure = failure;
  }
}

interface ImportingCompiled {
  readonly compiled: CompiledScript;
  readonly imports: readonly number[];
}

function compiled(script: ImportingScript): ImportingCompiled {
  return { compiled: script.compiled(), imports: script.imports };
}

/**
 * The function of a script, an object of the guest, which is only passed on; and what it is to be
 * called with.
 */
function madeIn(context: object, script: ImportingCompiled, bridge: GuestBridge): unknown {
  for (const module of script.imports) bridge.importNext(module);
  return script.compiled.runInContext(context);
}

/**
 * The bridge catches what endpoint code throws, except where the stack is used up: then a call ends
 * without a word.
 */
function withoutThrowing(action: () => void): void {
  try {
    action();
  } catch {
    // An object of the guest: there is nothing to read from it.
  }
}

function failureText(message: string): string {
  return JSON.stringify({ message, stack: '' });
}

/** A script that is compiled when it is first run, once for all realms of a thread. */
export class LazyScript {
  readonly #source: string;
  readonly #filename: string;
  #script: Script | undefined;

  constructor(source: string, filename: string) {
    this.#source = source;
    this.#filename = filename;
  }

  runInContext(context: object): unknown {
    this.#script ??= new Script(this.#source, { filename: this.#filename });
    return this.#script.runInContext(context);
  }
}
