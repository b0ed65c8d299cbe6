import { afterAll, beforeAll, expect, test } from 'vitest';
import { EchoServer } from '../support/echo-server.ts';
import { encodedForms } from '../support/encoded-forms.ts';
import { valueAt } from '../support/http-client.ts';
import { processesBelow, textsInMemory } from '../support/process-memory.ts';
import { ServingPair } from './serving-pair.ts';

let pair: ServingPair;
let echo: EchoServer;
beforeAll(async () => {
  pair = await ServingPair.start();
  echo = await EchoServer.start();
});
afterAll(async () => {
  await pair[Symbol.asyncDispose]();
  await echo[Symbol.asyncDispose]();
});

test('a replica sends the secrets of the primary, and tells no value', async () => {
  await pair.asAdmin('PUT', '/api/workspace/settings', { fetchAllowList: [echo.url] });
  const marker = 'a-text-that-the-worker-has-in-its-code';
  const code = `const kept: unknown[] = ['${marker}'];
export default async ({ body, fetch, secret }: Scope<string>) => {
  const answer = await fetch(body, { headers: { authorization: secret('CRM_KEY', 'Bearer {}') } });
  const text = await answer.text();
  kept.push(text);
  return JSON.parse(text) as object;
};`;
  await pair.asAdmin('POST', '/api/endpoints/create', { name: 'asks', code, isReadOnly: true });
  const call = {
    method: 'POST',
    path: '/api/endpoints/run/asks',
    body: JSON.stringify(echo.url),
    token: pair.admin,
  };
  const put = (value: string) =>
    pair.asAdmin('PUT', '/api/secrets/CRM_KEY', { value, hosts: [echo.host] });
  const values = ['the first "value"/+', 'the "value"/+ after that'];
  const forms = values.flatMap(encodedForms);
  for (const value of values) {
    const set = await put(value);
    const answer = await pair.afterwards(call, set);
    expect(answer.json).toMatchObject({ authorization: 'Bearer [secret CRM_KEY]' });
    expect(echo.seen.at(-1)?.headers.authorization).toBe(`Bearer ${value}`);
    const list = await pair.afterwards({ path: '/api/secrets', token: pair.admin }, set);
    expect(valueAt(list.json, 'items', '0')).toMatchObject({ name: 'CRM_KEY', isReadable: true });
    const told = list.text + answer.text;
    expect(forms.filter((form) => told.includes(form))).toEqual([]);
  }
  const workers = processesBelow(pair.replica.process.pid);
  const found = workers.flatMap((pid) => [...textsInMemory(pid, [...forms, marker])]);
  expect([...new Set(found)]).toEqual([marker]);
  const write = { method: 'PUT', path: '/api/secrets/CRM_KEY', body: {}, token: pair.admin };
  expect((await pair.replica.http.send(write)).status).toBe(303);
  const deleted = await pair.asAdmin('DELETE', '/api/secrets/CRM_KEY');
  const refused = await pair.afterwards(call, deleted);
  expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('no secret')]);
});
