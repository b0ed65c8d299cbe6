import { afterEach, expect, it } from 'vitest';
import { TASK_LOG_LINES_MAX } from '#base/limits.ts';
import { problemOf } from '#graph/testing/test-graph.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import type { EndpointServiceOptions } from '../endpoint-service.ts';
import { ADMIN, openTestEndpoints, type TestEndpoints } from '../testing/test-endpoints.ts';

/** What it logs goes out with what it commits: nothing does later. */
const LOOPS = `export default async ({ graph, log }: Scope) => {
  log.info('looping');
  await graph.addOrUpdate('Author', 'Ann', {});
  await graph.commit();
  for (;;);
};
`;
/** It looks at nothing, and never comes to its end. */
const HANGS = `export default async ({ log }: Scope) => {
  log.info('hanging');
  await new Promise(() => {});
};
`;

let at: TestEndpoints;
let jobs: JobRegistry;
afterEach(() => at[Symbol.asyncDispose]());

async function open(outside: Partial<EndpointServiceOptions> = {}) {
  const clock = { now: () => Date.now() };
  jobs = new JobRegistry({ clock, store: undefined, redact: (text) => text });
  at = await openTestEndpoints(1, false, { jobs, ...outside });
  return at.service.migrations.service;
}

/** Runs it until its code has logged something. */
async function begin(name: string, code: string, runOnStartup = false) {
  const { service } = at.service.migrations;
  expect(await service.create(ADMIN, { name, code, runOnStartup }, '')).toMatchObject({
    compiles: true,
  });
  const { id } = await service.run(ADMIN, name, '');
  const signal = new AbortController().signal;
  for await (const { lines } of jobs.watch(ADMIN, id, { after: undefined, signal })) {
    if (lines.length > 0) break;
  }
  return id;
}

it.each([
  ['loops', LOOPS],
  ['hangs', HANGS],
])(
  'one that %s does not stop when it is cancelled, and goes on until it is ended by force',
  async (name, code) => {
    const service = await open({ cancelWaitMs: 1 });
    const jobId = await begin(name, code);
    for (let i = 0; i < 2; i++) {
      const problem = await problemOf(() => service.cancel(ADMIN, undefined, ''));
      expect(problem).toEqual({
        code: 'migration_not_cancelled',
        details: { name, jobId, endedByForceAt: expect.any(String) },
      });
    }
    expect(service.get(ADMIN, name)).toMatchObject({ status: 'running', jobId });
    expect((await problemOf(() => service.reset(ADMIN, name, ''))).code).toBe('migration_running');
    expect(jobs.get(ADMIN, jobId).state).toBe('running');
    // It does not keep endpoints from their turn.
    await at.define('one', '_: Scope', 'return 1;');
    expect(await at.value('one')).toBe(1);
  },
);

it.each([
  ['loops', LOOPS],
  ['hangs', HANGS],
])('one that %s is cancelled once it is ended by force', async (name, code) => {
  const service = await open({ forcedEndMs: 1 });
  const id = await begin(name, code);
  expect(await service.cancel(ADMIN, name, '')).toMatchObject({ name, status: 'cancelled' });
  expect(jobs.get(ADMIN, id).state).toBe('cancelled');
  expect(await service.reset(ADMIN, undefined, '')).toEqual({ reset: [name] });
});

it('what still ran when the server stopped is interrupted, and can run again', async () => {
  const service = await open();
  await begin('hangs', HANGS);
  await at.service.migrations[Symbol.asyncDispose]();
  expect(service.get(ADMIN, 'hangs').status).toBe('running');
  await service.recover();
  expect(service.get(ADMIN, 'hangs')).toMatchObject({
    status: 'interrupted',
    error: { code: 'migration_interrupted' },
  });
  expect(await service.reset(ADMIN, undefined, '')).toEqual({ reset: ['hangs'] });
});

it('a start does not begin anew what was interrupted, nor what comes after it', async () => {
  const service = await open();
  await service.create(ADMIN, { name: '2', code: HANGS, runOnStartup: true }, '');
  await begin('1', HANGS, true);
  await at.service.migrations[Symbol.asyncDispose]();
  await service.recover();
  await service.start();
  const { items } = service.list(ADMIN, { skip: 0, take: 10 });
  expect(items.map(({ status }) => status)).toEqual(['interrupted', 'pending']);
});

it('computes for long, uses other endpoints, and keeps the last lines of its log', async () => {
  const service = await open();
  await at.define('add', '{ body }: Scope<{ n: number }>', 'return body.n + 1;');
  const code = `export default async ({ run, log }: Scope) => {
  let n = 0;
  for (let i = 0; i <= ${TASK_LOG_LINES_MAX}; i++) {
    n = (await run('add', { n })) as number;
    log.info(String(n));
  }
};
`;
  await service.create(ADMIN, { name: 'adds', code }, '');
  const { id } = await service.run(ADMIN, undefined, '');
  const signal = new AbortController().signal;
  for await (const news of jobs.watch(ADMIN, id, { after: undefined, signal })) void news;
  const { status, log } = service.get(ADMIN, 'adds');
  expect([status, log.length, log[0]?.text]).toEqual(['succeeded', TASK_LOG_LINES_MAX, '2']);
});

it('a dry run ends after its time, says what it had written, and is one at a time', async () => {
  const service = await open({ dryRunMaxMs: 3_000 });
  await service.create(ADMIN, { name: 'loops', code: LOOPS }, '');
  const first = service.dryRun(ADMIN, 'loops', '');
  const second = await problemOf(() => service.dryRun(ADMIN, 'loops', ''));
  expect(second).toEqual({ code: 'migration_running', details: { name: 'loops', jobId: null } });
  expect(await first).toMatchObject({
    outcome: 'timed_out',
    error: null,
    nodes: [{ type: 'Author', created: 1, changed: 0, deleted: 0 }],
    log: [{ text: 'looping' }],
  });
  at.graph.reader.refresh();
  expect(at.graph.reader.countOfType('Author')).toBe(0);
  expect(service.get(ADMIN, 'loops').status).toBe('pending');
});

it('a dry run ends with the server', async () => {
  const service = await open();
  await service.create(ADMIN, { name: 'hangs', code: HANGS }, '');
  const trial = problemOf(() => service.dryRun(ADMIN, 'hangs', ''));
  await expect.poll(() => at.log.some(({ message }) => message === 'hanging')).toBe(true);
  await at.service.migrations[Symbol.asyncDispose]();
  expect((await trial).code).toBe('migration_interrupted');
});
