import type { CpuProfile } from '@trellis/contract/shapes/cpu-profile.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
});
afterAll(() => people[Symbol.asyncDispose]());

const profiled = (code: string, more: object = {}) =>
  people.as('admin', 'POST', '/api/build/run-draft', {
    name: 'reports/sales',
    code,
    profile: true,
    ...more,
  });

const SPIN = `function spin(ms: number): number {
  let sum = 0;
  const until = Date.now() + ms;
  while (Date.now() < until) {
    for (let i = 0; i < 1000; i++) sum += Math.sqrt(i);
  }
  return sum;
}
`;

function framesOf(profile: unknown) {
  return (profile as CpuProfile).nodes.map(({ callFrame }) => callFrame);
}

test('a profile has the functions of the author at their lines, and nothing of the server', async () => {
  const code = `${SPIN}export default async ({ graph }: Scope) => {
  spin(200);
  await graph.addOrUpdate('Book', 'profiled', { Title: 'tried' });
  return (await graph.get('Book', 'profiled')).Title;
};
`;
  const { status, json, text } = await profiled(code);
  expect(status, text).toBe(200);
  const { body, profile } = json as { body: unknown; profile: CpuProfile };
  expect(body).toBe('tried');
  const { samples, timeDeltas, startTime, endTime, nodes } = profile;
  expect(samples.length).toBe(timeDeltas.length);
  expect(endTime - startTime).toBeGreaterThan(200_000);
  expect(framesOf(profile)).toContainEqual(
    expect.objectContaining({
      functionName: 'spin',
      url: 'endpoints/reports/sales.ts',
      lineNumber: 0,
    }),
  );
  const spin = nodes.filter(({ callFrame }) => callFrame.functionName === 'spin');
  const hits = spin.reduce((sum, { hitCount = 0 }) => sum + hitCount, 0);
  // It spins by the clock: how much of a processor it has is not said.
  expect(hits).toBeGreaterThan(0);
  expect(JSON.stringify(profile)).not.toMatch(/file:\/\/|node:|trellis:|dist\//);
  const written = await people.as('admin', 'POST', '/api/node/query', { type: 'Book' });
  expect(written.json).toMatchObject({ total: 0 });
});

test('code that does not end, and code that fails, have a profile, too', async () => {
  const { json } = await profiled(
    `${SPIN}export default () => { spin(50); throw new Error('x'); };\n`,
  );
  expect(json).toMatchObject({ status: 500, error: { code: 'endpoint_failed' } });
  expect(framesOf(Object(json).profile).map(({ functionName }) => functionName)).toContain('spin');
  await people.as('admin', 'POST', '/api/endpoints/create', {
    name: 'reports/sales',
    code: 'export default () => 1;\n',
    timeoutMs: 2_000,
  });
  const endless = await profiled(`${SPIN}export default () => { for (;;) spin(50); };\n`);
  expect(endless.json).toMatchObject({ status: 504, error: { code: 'endpoint_timeout' } });
  expect(framesOf(Object(endless.json).profile).map(({ functionName }) => functionName)).toContain(
    'spin',
  );
});

test('one run at a time is profiled, and none without being asked for', async () => {
  const code = `${SPIN}export default () => spin(300);\n`;
  const answers = await Promise.all([profiled(code), profiled(code)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503]);
  const { json } = await profiled(code, { profile: false });
  expect(json).not.toHaveProperty('profile');
});
