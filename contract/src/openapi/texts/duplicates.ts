import * as shapes from '../../shapes/duplicate.ts';
import { texts } from './property-texts.ts';

const SETTINGS = {
  fields:
    'Texts that are compared beside the name of a node; all texts of the type if it is null or absent.',
  minScore: 'Pairs with a lower score are left out; 0.5 by default.',
  mergeAbove:
    'A search merges pairs from this score on by itself, if the same people see both; null merges none.',
} as const;
const NAME = { uid: 'UID of the node.', name: 'What people call it.' } as const;
const NODE_VERSIONS = {
  intoVersion: 'Refused with `version_conflict` unless the node that stays has this version.',
  nodeVersion: 'Refused with `version_conflict` unless the node that goes has this version.',
} as const;

/** Nodes that may be one thing. */
export const duplicateTexts = [
  ...texts(shapes.duplicateSearch, {
    type: 'The node type whose nodes are compared with each other.',
    fields: SETTINGS.fields,
    minScore: SETTINGS.minScore,
  }),
  ...texts(shapes.duplicateRuleChange, SETTINGS),
  ...texts(shapes.duplicateRule, { type: 'The node type.', ...SETTINGS }),
  ...texts(shapes.duplicateRuleInPath, { type: 'Name of the node type.' }),
  ...texts(shapes.duplicateEvidence, {
    kind: '`name`: they are called alike; `field`: they have the same value; `text`: they have the same words; `neighbors`: they are connected to the same nodes; `vectors`: their embeddings are near.',
    field: 'The field whose values are alike; absent for `name`, `neighbors` and `vectors`.',
    similarity: 'From 0 to 1, where 1 is equal.',
  }),
  ...texts(shapes.duplicate, {
    id: 'Id of the pair: the two UIDs.',
    type: 'Type of both nodes.',
    state: '`open` waits for somebody to decide; `dismissed` are two things.',
    score: 'How sure they are one thing, from 0 to 1.',
    why: 'What speaks for it.',
    nodes: ['The two nodes.', NAME],
    foundAt: 'When it was found, or dismissed (ISO 8601, UTC).',
  }),
  ...texts(shapes.duplicateQuery, {
    type: 'Only pairs of this type.',
    state: '`open` (the default) or `dismissed`.',
  }),
  ...texts(shapes.duplicateInPath, { id: 'Id of the pair, or of the merge.' }),
  ...texts(shapes.mergeInPath, { id: 'Id of the pair, or of the merge.' }),
  ...texts(shapes.mergeRequest, {
    into: 'The node that stays.',
    node: 'The node that goes; its UID and its key lead to the other from then on.',
    fields:
      'Values of the node that stays, by field, in place of its own; null removes one. What it lacks it takes from the other.',
    ...NODE_VERSIONS,
  }),
  ...texts(shapes.mergedNode, {
    id: 'Id of the merge, with which it can be taken back.',
    node: 'The node that stays.',
    version: 'Version that the node has now.',
    access: 'Who sees it: whoever saw both nodes, or fewer.',
  }),
  ...texts(shapes.splitNodes, {
    into: 'The node that had stayed.',
    node: 'The node that had gone.',
  }),
  ...texts(shapes.merge, {
    id: 'Id of the merge.',
    type: 'Type of the nodes.',
    at: 'When they were merged (ISO 8601, UTC).',
    by: 'UID of the user who merged them; null if a rule did.',
    into: ['The node that stayed.', NAME],
    node: 'UID of the node that went; it leads to the other.',
    isLast: 'Whether it can be split now: later merges of the same node are split first.',
  }),
];
