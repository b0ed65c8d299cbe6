import { isObject } from '#base/assert.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What JSON of others has at a place, or nothing where it has something else there. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countIn(value: unknown): number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? Math.round(value) : 0;
}

/** Without the members that are undefined. */
export function defined(members: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
