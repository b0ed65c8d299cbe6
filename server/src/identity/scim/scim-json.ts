import { SCIM_URNS } from '@trellis/contract/shapes/scim.ts';

/** The names of attributes are in any case (RFC 7643, section 2.1). */
export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name that the object has for an attribute, or else the given one. */
export function ownName(object: Json, name: string): string {
  if (Object.hasOwn(object, name)) return name;
  const wanted = name.toLowerCase();
  return Object.keys(object).find((one) => one.toLowerCase() === wanted) ?? name;
}

export function attribute(object: Json, name: string): unknown {
  const own = ownName(object, name);
  return Object.hasOwn(object, own) ? object[own] : undefined;
}

/** Sets an attribute, whatever it is called: `__proto__` too is only a name. */
export function setAttribute(object: Json, name: string, value: unknown): void {
  Object.defineProperty(object, ownName(object, name), {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

const CORE_PREFIXES = [SCIM_URNS.user, SCIM_URNS.group].map((urn) => `${urn}:`.toLowerCase());
const EXTENSION = SCIM_URNS.enterpriseUser.toLowerCase();

/**
 * The names on the way to an attribute: `name.familyName` is two. The URN of a core schema before
 * them says nothing more; that of the extension is a name of its own.
 */
export function attributePath(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const core = CORE_PREFIXES.find((prefix) => lower.startsWith(prefix));
  if (core !== undefined) return text.slice(core.length).split('.');
  if (lower === EXTENSION) return [text];
  if (lower.startsWith(`${EXTENSION}:`)) {
    return [text.slice(0, EXTENSION.length), ...text.slice(EXTENSION.length + 1).split('.')];
  }
  return text.split('.');
}
