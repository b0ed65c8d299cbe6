import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scale, seed } from '../../test/support/scale.ts';
import { runConnector } from './run-connector.ts';
import { ModelWorkspace } from './testing/model-workspace.ts';

const TIMEOUT_MS = scale({ sample: 60_000, soak: 1_800_000 });

/** A row is the nodes that it brings, each with a text; the first is linked to the others. */
type SourceRow = readonly (readonly [key: string, text: string])[];
/** As it is listed; of a row that is listed several times the last counts. */
type Source = readonly (readonly [id: string, row: SourceRow])[];

/** Few that differ, so that runs say again what others said. */
const row: fc.Arbitrary<SourceRow> = fc.uniqueArray(
  fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y')),
  { minLength: 1, maxLength: 2, selector: ([key]) => key },
);
const source: fc.Arbitrary<Source> = fc.array(fc.tuple(fc.constantFrom('1', '2', '3'), row), {
  maxLength: 6,
});
/** How the run goes: with which commit it ends, if any, and whether that commit was still done. */
const run = fc.record({
  source,
  batchOperations: fc.integer({ min: 1, max: 5 }),
  failsAt: fc.option(fc.integer({ min: 0, max: 3 })),
  fault: fc.constantFrom('refused' as const, 'crash' as const),
});

function operationsOf(nodes: SourceRow): GraphOperation[] {
  const add = nodes.map(([key, Text]): GraphOperation => ({
    op: 'addOrUpdate',
    type: 'Note',
    key,
    fields: { Text },
  }));
  const [first, ...others] = nodes.map(([key]) => ({ type: 'Note', key }));
  if (first === undefined) return add;
  return [
    ...add,
    ...others.map((to): GraphOperation => ({ op: 'link', from: first, edge: 'Next', to })),
  ];
}

it(
  'whatever the source said before and wherever runs broke off, a whole run ends with what it says now',
  async () => {
    const property = fc.asyncProperty(
      fc.array(run, { maxLength: 4 }),
      source,
      async (runs, last) => {
        const folder = mkdtempSync(join(tmpdir(), 'trellis-connector-'));
        try {
          const workspace = new ModelWorkspace();
          const client = await workspace.start();
          const bring = (from: Source, batchOperations: number) =>
            runConnector(
              {
                client,
                name: 'property',
                schema: { nodes: [], edges: [] },
                state: join(folder, 'state'),
                batchOperations,
                removedShareMax: 1,
              },
              async (connector) => {
                for (const [id, nodes] of from) {
                  await connector.row(id, operationsOf(nodes));
                }
                await connector.removeUnseen();
              },
            );
          for (const { source: from, batchOperations, failsAt, fault } of runs) {
            const before = workspace.commits.length;
            workspace.fault = () => {
              if (failsAt === null || workspace.commits.length - before < failsAt) return 'none';
              return fault;
            };
            await bring(from, batchOperations).catch((error: unknown) => {
              if (failsAt === null) throw error;
            });
          }
          workspace.fault = () => 'none';
          await bring(last, 2);
          expectSame(workspace, last, [...runs.flatMap((one) => one.source), ...last]);
          // What a row that is listed twice said first is sent at each run.
          if (!isListedOnce(last)) return;
          // A node that several rows bring may have been left as a row said that is gone: then they
          // say it again.
          await bring(last, 2);
          expectSame(workspace, last, last);
          const before = workspace.commits.length;
          await bring(last, 2);
          expect(workspace.commits.length).toBe(before);
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    );
    await fc.assert(property, { seed: seed(), numRuns: scale({ sample: 40, soak: 5_000 }) });
  },
  TIMEOUT_MS,
);

function isListedOnce(listed: Source): boolean {
  return new Set(listed.map(([id]) => id)).size === listed.length;
}

/**
 * A node has the text of its row; one that several rows have brought, what any of those has `ever`
 * said.
 */
function expectSame(workspace: ModelWorkspace, wanted: Source, ever: Source): void {
  const rows = [...new Map(wanted).values()];
  const keys = new Set(rows.flat().map(([key]) => `Note:${key}`));
  expect(new Set(workspace.nodes.keys())).toEqual(keys);
  const edges = rows.flatMap(([first, ...others]) =>
    others.map(([key]) => `Note:${first?.[0]} Next Note:${key}`),
  );
  expect(workspace.edges).toEqual(new Set(edges));
  for (const [name, fields] of workspace.nodes) {
    const brings = ([, nodes]: Source[number]) => nodes.some(([key]) => name === `Note:${key}`);
    const isShared = new Set(ever.filter(brings).map(([id]) => id)).size > 1;
    const texts = (isShared ? ever.map(([, nodes]) => nodes) : rows)
      .flat()
      .filter(([key]) => name === `Note:${key}`)
      .map(([, text]) => text);
    expect(texts).toContain((fields as { Text: string }).Text);
  }
}
