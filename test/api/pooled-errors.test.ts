import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueAt, type Answer } from '../support/http-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  await send('/api/schema', LIBRARY_SCHEMA, { method: 'PUT' });
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(path: string, body?: unknown, more: object = {}): Promise<Answer> {
  return workspace.http.send({ path, body, token: workspace.token, ...more });
}

const keyOf = ({ headers }: Answer): string => headers.get('msk-endpoint-key') ?? '';
const outcomeOf = ({ status, json }: Answer) => [status, valueAt(json, 'error', 'code')];

/** Asks again as long as it is 202. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 202) return answer;
  }
}

const code = (ending: string) =>
  `export default async function ({ body, graph, notFound }: Scope<{ until: string }>) {
  while ((await graph.tryGet('Book', body.until)) === null) await graph.commit();
  void notFound;
  ${ending}
}
`;

test.each([
  ['slow/fails', "throw new Error('no');", 500, 'endpoint_failed'],
  ['slow/refuses', "return notFound('no such report');", 404, 'not_found'],
])('an error of a pooled run carries its key: %s', async (name, ending, status, problem) => {
  const endpoint = { name, code: code(ending), mode: 'pooling' };
  expect((await send('/api/endpoints/create', endpoint)).status).toBe(201);
  const path = `/api/endpoints/run/${name}`;
  const key = keyOf(await send(path, { until: name }));
  expect(key).toMatch(/^[\w-]{22}$/);
  await send('/api/ingest', { operations: [{ op: 'tryAdd', type: 'Book', key: name }] });
  const headers = { 'MSK-ENDPOINT-KEY': key };
  const polled = await untilAnswered(() => send(path, undefined, { method: 'POST', headers }));
  expect([outcomeOf(polled), keyOf(polled)]).toEqual([[status, problem], key]);
  // So does that of a run that fails at once, or soon on a busy machine.
  const atOnce = await untilAnswered(() => send(path, { until: name }));
  expect(outcomeOf(atOnce)).toEqual([status, problem]);
  expect(keyOf(atOnce)).toMatch(/^[\w-]{22}$/);
});
