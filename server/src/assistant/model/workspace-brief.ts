import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';
import type { Caller } from '#access/caller.ts';
import {
  BRIEF_CHARACTERS_MAX,
  BRIEF_FIELDS_PER_TYPE_MAX,
  BRIEF_LINE_CHARACTERS_MAX,
} from '#base/assistant-limits.ts';

export interface WorkspaceBriefParts {
  /** The types that a caller may know. */
  readonly types: (caller: Caller) => NodeTypesDocument;
  /** What administrators tell all models. */
  readonly instructions: () => string;
}

/**
 * What a model is told of the workspace before it is asked: the types and fields that the asker may
 * see, the number of nodes that they see, and what administrators add.
 */
export class WorkspaceBrief {
  readonly #parts: WorkspaceBriefParts;

  constructor(parts: WorkspaceBriefParts) {
    this.#parts = parts;
  }

  /** The instructions with the brief after them: what differs least from turn to turn is first. */
  after(instructions: string, caller: Caller): string {
    const told = [this.withAdded(instructions), ...described(this.#parts.types(caller))];
    return told.join('\n\n');
  }

  /** The instructions with what administrators add: for who writes, and looks nothing up. */
  withAdded(instructions: string): string {
    const added = this.#parts.instructions().trim();
    if (added === '') return instructions;
    return `${instructions}\n\nThe administrators of this workspace add:\n${added}`;
  }
}

type NodeType = NodeTypesDocument['types'][number];

/** Empty when there is nothing to see. */
function described({ types, edges }: NodeTypesDocument): string[] {
  const seen = types
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  if (seen.length === 0) return [];
  const lines = within(seen.map(lineOf), BRIEF_CHARACTERS_MAX);
  const left = seen.length - lines.length;
  const more = left === 0 ? [] : [`- and ${left} more types`];
  const names = within(
    edges.map(({ type, inverse }) => (inverse === undefined ? type : `${type} (back: ${inverse})`)),
    BRIEF_LINE_CHARACTERS_MAX,
  );
  const joined = names.length === 0 ? [] : [`Types of edges: ${names.join(', ')}.`];
  const head = 'Types of nodes that the user may see, with their number and fields:';
  return [[head, ...lines, ...more, ...joined].join('\n')];
}

function lineOf({ type, count, key, label, fields }: NodeType): string {
  const all = Object.entries(fields).map(([name, kind]) => `${name} (${kind})`);
  const some = all.slice(0, BRIEF_FIELDS_PER_TYPE_MAX);
  const left = all.length - some.length;
  const said = [
    ...(key === undefined ? [] : [`key ${key}`]),
    ...some,
    ...(left === 0 ? [] : [`and ${left} more`]),
  ];
  const named = label === undefined ? '' : `; its name is ${label}`;
  const line = `- ${type}, ${count} nodes: ${said.join(', ')}${named}`;
  return line.length <= BRIEF_LINE_CHARACTERS_MAX
    ? line
    : `${line.slice(0, BRIEF_LINE_CHARACTERS_MAX - 1)}…`;
}

/** The first lines that fit together. */
function within(lines: readonly string[], charactersMax: number): readonly string[] {
  let left = charactersMax;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end < 0 ? lines : lines.slice(0, end);
}
