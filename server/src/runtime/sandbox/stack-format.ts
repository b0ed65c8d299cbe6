import { createRequire } from 'node:module';
import { constants, createContext, Script } from 'node:vm';
import { assert } from '#base/assert.ts';

/** Of Node itself, there with `--expose-internals`. */
const INTERNALS = 'internal/test/binding';

/**
 * Node formats the stack of every error with a function in the realm of the thread, which looks for
 * a `prepareStackTrace` of the guest's, and which, with the stack used up, throws an error of that
 * realm into the guest. So a function in a realm of its own takes its place, in which there is
 * nothing but the language, frozen, and no code is made of texts: an error of it leads nowhere. It
 * knows no hook, and shows where the code of an endpoint is, not where the server lies.
 */
export function formatStacksApart(): void {
  const require = createRequire(import.meta.url);
  const { internalBinding } = require(INTERNALS) as {
    internalBinding(name: 'errors'): { setPrepareStackTraceCallback(format: unknown): void };
  };
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    name: 'trellis:stacks',
  });
  const format: unknown = new Script(FORMATTER, { filename: 'trellis:stacks' }).runInContext(
    context,
  );
  assert(typeof format === 'function', 'stacks are formatted by a function');
  internalBinding('errors').setPrepareStackTraceCallback(format);
}

/**
 * What it is given may be of a guest: nothing is looked up in it but what V8 made, which no guest
 * can reach.
 */
const FORMATTER = `(() => {
  'use strict';
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { freeze } = Object;
  const errorText = Error.prototype.toString;
  const startsWith = String.prototype.startsWith;
  const begins = (text, start) => apply(startsWith, text, [start]);
  const isOfHost = (site) => {
    const file = site.getFileName();
    return typeof file === 'string' &&
      (begins(file, 'file:') || begins(file, 'node:') || begins(file, '/'));
  };
  const format = (_global, error, sites) => {
    let head;
    try {
      head = apply(errorText, error, []);
    } catch {
      head = 'an error that cannot be shown';
    }
    let all = '';
    let ofGuest = '';
    for (let i = 0; i < sites.length; i++) {
      const line = '\\n    at ' + sites[i].toString();
      all += line;
      if (!isOfHost(sites[i])) ofGuest += line;
    }
    return head + (ofGuest === '' ? all : ofGuest);
  };
  const seen = new Set();
  const has = Set.prototype.has;
  const add = Set.prototype.add;
  const freezeDeep = (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
    if (value === globalThis || apply(has, seen, [value])) return;
    apply(add, seen, [value]);
    freezeDeep(getPrototypeOf(value));
    for (const key of ownKeys(value)) {
      const { get, set, value: inner } = getOwnPropertyDescriptor(value, key) ?? {};
      freezeDeep(get);
      freezeDeep(set);
      freezeDeep(inner);
    }
    freeze(value);
  };
  for (const key of ownKeys(globalThis)) {
    freezeDeep(getOwnPropertyDescriptor(globalThis, key)?.value);
  }
  freezeDeep(format);
  return format;
})()`;
