import { createHash } from 'node:crypto';
import { TOOL_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

const PLAIN_SEGMENTS =
  /^(?:[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)(?:\/[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)*$/;
const HASH_CHARACTERS = 10;

/**
 * The name under which an endpoint is offered as a tool: its own, with "__" for "/". One that this leaves ambiguous, or that has
 * other characters, or that is too long, ends with a hash instead. It follows from the name alone: other endpoints never change it.
 * Letters, digits, "_" and "-", so that all providers of models take it as the name of a function.
 */
export function toolNameOf(endpoint: string): string {
  const name = endpoint.replaceAll('/', '__');
  if (PLAIN_SEGMENTS.test(endpoint) && name.length <= TOOL_NAME_CHARACTERS_MAX) return name;
  const hash = createHash('sha256').update(endpoint).digest('hex').slice(0, HASH_CHARACTERS);
  const head = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `${head.slice(0, TOOL_NAME_CHARACTERS_MAX - HASH_CHARACTERS - 1)}_${hash}`;
}
