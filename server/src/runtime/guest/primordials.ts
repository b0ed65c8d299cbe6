/**
 * What the guest's side of the bridge uses of its realm, taken before any endpoint code runs: a
 * script that changes prototypes cannot change how its own calls are made.
 */
export const parse = JSON.parse;
export const stringify = JSON.stringify;
export const freeze = Object.freeze;
export const isArray = Array.isArray;
export const hasOwn = Object.hasOwn;
export const keys = Object.keys;
export const text = String;
export const PromiseAtFirst = Promise;
export const ErrorAtFirst = Error;

/** A Map whose methods do not change with those of `Map.prototype`. */
export class SafeMap<K, V> extends Map<K, V> {}
for (const name of Reflect.ownKeys(Map.prototype)) {
  const method = Reflect.getOwnPropertyDescriptor(Map.prototype, name);
  if (method !== undefined && name !== 'constructor') {
    Reflect.defineProperty(SafeMap.prototype, name, method);
  }
}
freeze(Reflect.setPrototypeOf(SafeMap.prototype, null) && SafeMap.prototype);

export const { apply } = Reflect;
const promiseThen = Promise.prototype.then;
const promiseResolve = Promise.resolve;

/** `Promise.resolve(value).then(...)`, as it was at first: `then` of a promise is not looked up. */
export function whenResolved(
  value: unknown,
  onValue: (value: unknown) => void,
  onError: (error: unknown) => void,
): void {
  apply(promiseThen, apply(promiseResolve, PromiseAtFirst, [value]), [onValue, onError]);
}
