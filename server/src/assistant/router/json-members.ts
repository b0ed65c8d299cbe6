import { isObject } from '#base/assert.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads JSON that may have any shape; gives an empty value in place of one of another type. */
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

/** The members without those that are undefined. */
export function defined(members: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
