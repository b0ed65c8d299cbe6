import { isObject } from '#base/assert.ts';
import type { JsonObject } from '../router/json-members.ts';

/** What a model is to look at, as JSON: nothing in it can look like the end of the data. */
export function materialOf(material: object): string {
  return JSON.stringify(material).replaceAll('<', String.raw`\u003c`);
}

/** The JSON object that a model answers with; there may be other text around it. */
export function objectInAnswer(said: string): JsonObject | undefined {
  const from = said.indexOf('{');
  const to = said.lastIndexOf('}');
  if (from < 0 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(said.slice(from, to + 1));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
