import Module, { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { runInNewContext } from 'node:vm';

/**
 * Takes from the realm of a worker what an escaped guest would use. Called once, after everything
 * that needs it is loaded: lmdb makes code at run time while it is imported, so a realm that never
 * could is not possible (decision 0004).
 *
 * This is defence in depth behind the bridge, which hands no object of this realm to a guest.
 */
export function lockRealm(): void {
  removeCodeGeneration();
  removeNode();
  for (const name of UNNEEDED_GLOBALS) Reflect.deleteProperty(globalThis, name);
  freezeIntrinsics();
}

/** Every way from an object to a function that makes code of text. */
function removeCodeGeneration(): void {
  const functions = [() => {}, function* () {}, async () => {}, async function* () {}];
  for (const sample of functions) {
    const prototype: unknown = Object.getPrototypeOf(sample);
    Reflect.deleteProperty(Object(prototype), 'constructor');
  }
  Reflect.deleteProperty(globalThis, 'Function');
  Reflect.deleteProperty(globalThis, 'eval');
}

/**
 * The permission model holds for paths, not for descriptors that the process has open anyway, and
 * not for the network. So what reaches either goes away, and what gives it back.
 */
function removeNode(): void {
  // All of them first: each may need others when it is loaded.
  const reachingOut = MODULES_THAT_REACH_OUT.map((name) => process.getBuiltinModule(name));
  for (const exported of reachingOut) empty(exported);
  // The one of them that is a class: its instances load and compile.
  empty(Module.prototype);
  syncBuiltinESMExports();
  for (const name of UNNEEDED_IN_PROCESS) Reflect.deleteProperty(process, name);
  // Memory that is not overwritten may hold what another thread has let go of.
  Object.assign(Buffer, { allocUnsafe: Buffer.alloc, allocUnsafeSlow: Buffer.alloc });
}

function empty(object: object): void {
  for (const key of Reflect.ownKeys(object)) Reflect.deleteProperty(object, key);
}

/** Those that may be loaded by now: there is no way left to load others. */
const MODULES_THAT_REACH_OUT = [
  'child_process',
  'dgram',
  'dns',
  'dns/promises',
  'fs',
  'fs/promises',
  'http',
  'https',
  'inspector',
  'module',
  'net',
  'tls',
] as const;

const UNNEEDED_IN_PROCESS = [
  '_debugProcess',
  '_kill',
  '_linkedBinding',
  'abort',
  'binding',
  'chdir',
  'dlopen',
  'execve',
  'getBuiltinModule',
  'kill',
  'loadEnvFile',
  'report',
];

const UNNEEDED_GLOBALS = [
  'fetch',
  'WebSocket',
  'EventSource',
  'Request',
  'Response',
  'FormData',
  'Headers',
  'XMLHttpRequest',
  'navigator',
  'BroadcastChannel',
  'Worker',
  'localStorage',
  'sessionStorage',
  'WebAssembly',
  'crypto',
  'SubtleCrypto',
  'Crypto',
  'process',
];

/**
 * Freezes the language's own objects, so that a guest which got hold of one could not change what
 * the host does with it.
 */
function freezeIntrinsics(): void {
  const seen = new Set<object>();
  const languageGlobals = runInNewContext(
    'Object.getOwnPropertyNames(globalThis).join()',
  ) as string;
  for (const name of languageGlobals.split(',')) {
    if (name !== 'globalThis') freezeDeep(Reflect.get(globalThis, name), seen);
  }
  for (const unnamed of [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ''[Symbol.iterator](),
    ''.matchAll(/./g),
    (function* () {})(),
    (async function* () {})(),
    async () => {},
  ]) {
    freezeDeep(Object.getPrototypeOf(unnamed), seen);
  }
}

function freezeDeep(value: unknown, seen: Set<object>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (seen.has(value)) return;
  seen.add(value);
  freezeDeep(Object.getPrototypeOf(value), seen);
  for (const key of Reflect.ownKeys(value)) {
    const property = Reflect.getOwnPropertyDescriptor(value, key);
    freezeDeep(property?.get, seen);
    freezeDeep(property?.set, seen);
    freezeDeep(property?.value, seen);
  }
  if (Object.hasOwn(value, 'message')) makeShadowable(value);
  if (value === Object.prototype || value === Array.prototype) freezeSlowly(value);
  else Object.freeze(value);
}

/**
 * As `Object.freeze`, which on these two would double the time of everything that uses arrays: V8
 * watches them as a whole.
 */
function freezeSlowly(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const isData = Object.hasOwn(Object(Reflect.getOwnPropertyDescriptor(prototype, key)), 'value');
    const frozen = isData ? { writable: false, configurable: false } : { configurable: false };
    Reflect.defineProperty(prototype, key, frozen);
  }
  Object.preventExtensions(prototype);
}

/**
 * A data property of a frozen prototype keeps an object that inherits it from getting one of its
 * own by assignment, which Node does with its errors (`this.name = ...`): an accessor does not.
 */
function makeShadowable(errorPrototype: object): void {
  for (const key of Reflect.ownKeys(errorPrototype)) {
    const inherited: unknown = Reflect.get(errorPrototype, key);
    Object.defineProperty(errorPrototype, key, {
      get: () => inherited,
      set(this: object, value: unknown) {
        if (this === errorPrototype) throw new TypeError(`${String(key)} is frozen`);
        const own = { value, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, key, own);
      },
    });
  }
}
