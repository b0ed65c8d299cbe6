import { formatUid, keyedUid } from '#base/uid.ts';
import type { WriterOperation } from '../operations.ts';
import { openTestGraph } from './test-graph.ts';
import type { TestGraph } from './test-graph.ts';

export const DOG = { type: 'Word', key: 'dog' };
export const CAT = { type: 'Word', key: 'cat' };

export function word(key: string, fields: Record<string, unknown> = {}): WriterOperation {
  return { op: 'addOrUpdate', type: 'Word', key, fields };
}

export function uidOf(type: string, key: string): string {
  return formatUid(keyedUid(type, key));
}

/** A graph of a few words, with the built-in types. */
export async function openGraphOfWords(): Promise<TestGraph> {
  const graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [
      {
        type: 'Word',
        key: 'Lemma',
        fields: { Rank: 'Int', Tags: 'String[]', Text: 'String', At: 'Time' },
        timestamp: 'At',
      },
      { type: 'Note', fields: { Text: 'String' } },
    ],
    edges: [{ type: 'Means', inverse: 'MeantBy', fields: { Weight: 'Double' } }, { type: 'Cites' }],
  });
  await graph.write(
    word('dog', { Rank: 1 }),
    word('cat', { Rank: 2 }),
    word('ant'),
    word('\ufffd'),
  );
  return graph;
}
