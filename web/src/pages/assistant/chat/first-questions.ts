import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';

const GENERAL = [
  'What can I find in this workspace?',
  'What is new here, and what does it say?',
  'Find what is known about a subject, and name the sources.',
  'Compare two things, in a list of what is the same and what differs.',
] as const;
const FIELDS_MAX = 3;

/** Questions to begin with, of the types that the viewer sees most nodes of. */
export function firstQuestions(types: NodeTypesDocument['types']): readonly string[] {
  const [first, second] = types
    .filter(({ count, fields }) => count > 0 && Object.keys(fields).length > 0)
    .toSorted((a, b) => b.count - a.count);
  if (first === undefined) return GENERAL;
  const { type, key, timestamp, fields } = first;
  const names = Object.keys(fields).filter((name) => name !== key && name !== timestamp);
  const columns = names.slice(0, FIELDS_MAX).join(', ');
  return [
    GENERAL[0],
    `What are the newest nodes of the type ${type}, and what do they say?`,
    first.count > 1 && columns !== ''
      ? `Compare some nodes of the type ${type} in a table: ${columns}.`
      : GENERAL[3],
    second === undefined
      ? GENERAL[2]
      : `How are nodes of the types ${type} and ${second.type} connected? Show examples.`,
  ];
}
