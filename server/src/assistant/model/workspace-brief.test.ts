import { expect, it } from 'vitest';
import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';
import { BRIEF_CHARACTERS_MAX, BRIEF_LINE_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { WorkspaceBrief } from './workspace-brief.ts';

const CALLER = {
  kind: 'session',
  userUid: 'ann',
  userName: 'ann',
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 't',
} as const;

function told(document: NodeTypesDocument, instructions = ''): string {
  const brief = new WorkspaceBrief({ types: () => document, instructions: () => instructions });
  return brief.after('Begin.', CALLER);
}

function type(name: string, count: number, fields: NodeTypesDocument['types'][number]['fields']) {
  return { type: name, count, mayWrite: false, fields, indexes: [] };
}

it('says nothing of an empty workspace, nor of types without a node', () => {
  expect(told({ types: [], edges: [] })).toBe('Begin.');
  expect(told({ types: [type('A', 0, {})], edges: [] })).toBe('Begin.');
});

it('begins with what changes least, and with the type of most nodes', () => {
  const types = [type('A', 1, {}), type('B', 2, { Name: 'String' })];
  const edges = [{ type: 'Has', inverse: 'IsOf' }, { type: 'Knows' }];
  expect(told({ types, edges }, ' Be kind. ')).toBe(
    [
      'Begin.',
      'The administrators of this workspace add:\nBe kind.',
      'Types of nodes that the user may see, with their number and fields:\n' +
        '- B, 2 nodes: Name (String)\n- A, 1 nodes: \n' +
        'Types of edges: Has (back: IsOf), Knows.',
    ].join('\n\n'),
  );
});

it('stays within its length, and says how much is left out', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`Field${at}${'x'.repeat(80)}`, 'String'] as const),
  );
  const types = Array.from({ length: 500 }, (_, at) => type(`Type${at}`, 1_000 - at, fields));
  const edges = Array.from({ length: 500 }, (_, at) => ({ type: `Edge${at}` }));
  const text = told({ types, edges });
  const lines = text.split('\n').filter((line) => line.startsWith('- Type'));
  expect(lines.every((line) => line.length <= BRIEF_LINE_CHARACTERS_MAX)).toBe(true);
  expect(lines[0]).toMatch(/^- Type0, 1000 nodes: .*…$/);
  expect(text).toContain(`- and ${500 - lines.length} more types`);
  const roomMax = BRIEF_CHARACTERS_MAX + 2 * BRIEF_LINE_CHARACTERS_MAX;
  expect(text.length).toBeLessThan(roomMax);
});
