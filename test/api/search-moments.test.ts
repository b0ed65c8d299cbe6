import { expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { startWorkspace } from '../support/workspace.ts';

const NODES = 300;
const MARKED = 100;
const COMMITS = 30;
const SEARCHERS = 4;
/** Moments that searches must have seen, so that the test says something. */
const SEEN_MIN = 6;

test('a search sees one moment of the index, however much is written meanwhile', async () => {
  await using workspace = await startWorkspace();
  const { http, token } = workspace;
  const ok = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, json, text } = await http.send({ method, path, token, body });
    expect(status, text).toBe(200);
    return json;
  };
  const fields = { Text: 'String', Tags: 'String[]' };
  await ok('PUT', '/api/schema', { nodes: [{ type: 'Note', key: 'Name', fields }], edges: [] });
  const settings = {
    language: 'en',
    fields: { Text: { text: { boost: 1 } }, Tags: { facet: true } },
  };
  await ok('PUT', '/api/search/settings', { types: { Note: settings } });
  /** Each commit marks as many notes, others than the one before, and all with its own number. */
  const commit = (number: number): Promise<unknown> =>
    ok('POST', '/api/ingest', {
      operations: Array.from({ length: NODES }, (_, i) => {
        const isMarked = (i + number) % (NODES / MARKED) === 0;
        const marked = { Text: 'marked note', Tags: [String(number)] };
        const plain = { Text: 'plain note', Tags: ['none'] };
        const timestamp = Date.UTC(2026, 0, 1 + (number % 28));
        return {
          op: 'addOrUpdate',
          type: 'Note',
          key: `n${i}`,
          fields: isMarked ? marked : plain,
          timestamp,
        };
      }),
    });
  await commit(0);
  await untilIndexed(http, token);

  const seen = new Set<string>();
  const written = new AbortController();
  const searcher = async (): Promise<void> => {
    while (!written.signal.aborted) {
      const facets = ['Tags', 'Type', { time: 'year' }];
      const answer = await ok('POST', '/api/cce/system/search', {
        query: 'marked',
        facets,
        take: 0,
      });
      const tags = valueAt(answer, 'facets', 'Tags') as { value: string }[];
      expect(answer).toMatchObject({
        total: MARKED,
        facets: {
          Tags: [{ value: expect.any(String), count: MARKED }],
          Type: [{ value: 'Note', count: MARKED }],
          time: [{ count: MARKED }],
        },
      });
      for (const { value } of tags) seen.add(value);
    }
  };
  const searchers = Array.from({ length: SEARCHERS }, searcher);
  const writer = async (): Promise<void> => {
    try {
      // On a busy machine a search outlasts several commits.
      for (let n = 1; n <= COMMITS || seen.size < SEEN_MIN; n++) await commit(n);
      await untilIndexed(http, token);
    } finally {
      written.abort();
    }
  };
  await Promise.all([writer(), ...searchers]);
  expect(seen.size, 'moments that were seen').toBeGreaterThanOrEqual(SEEN_MIN);
});
