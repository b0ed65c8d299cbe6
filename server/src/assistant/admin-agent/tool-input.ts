import { isObject } from '#base/assert.ts';
import type { JsonObject } from '../router/json-members.ts';
import { CHANGE_ACTIONS, DEFINITION_KINDS, invalidChange, type WantedChange } from './proposal.ts';
import { TOOL_RESULT_CHARACTERS_MAX } from '#base/assistant-limits.ts';

/**
 * Read members of the input that a model gives to a tool. The input can be anything; they throw
 * `invalid_request`, which the model reads.
 */

export function textIn(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value;
  throw invalidChange(`${name} must be text`);
}

/** 0 when left out. */
export function offsetIn(input: JsonObject): number {
  const { offset = 0 } = input;
  if (Number.isInteger(offset) && Number(offset) >= 0) return Number(offset);
  throw invalidChange('offset must be a whole number of characters');
}

export function oneOf<const T extends string>(value: unknown, name: string, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalidChange(`${name} must be one of ${all.map((one) => `"${one}"`).join(', ')}`);
}

export function changesIn({ changes }: JsonObject): WantedChange[] {
  if (!Array.isArray(changes)) throw invalidChange('changes must be a list');
  return changes.map((change: unknown) => {
    if (!isObject(change)) throw invalidChange('a change must be an object');
    const { definition } = change;
    if (definition !== undefined && definition !== null && !isObject(definition)) {
      throw invalidChange('a definition must be an object');
    }
    return {
      kind: oneOf(change['kind'], 'kind', DEFINITION_KINDS),
      name: textIn(change, 'name'),
      action: oneOf(change['action'], 'action', CHANGE_ACTIONS),
      definition: definition ?? undefined,
    };
  });
}

/**
 * The part of a text that a model reads at a time, from an offset in characters, with a note when
 * there is more.
 */
export function pageOfText(text: string, offset: number): string {
  const end = offset + TOOL_RESULT_CHARACTERS_MAX;
  if (end >= text.length) return text.slice(offset);
  return `${text.slice(offset, end)}\n[There are ${text.length} characters: read on with offset ${end}.]`;
}
