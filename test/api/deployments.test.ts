import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  deployment,
  type Deployment,
  deploymentDetails,
} from '@trellis/contract/shapes/deployment.ts';
import { changesIn, DefinitionsScene, type Files } from '../support/definitions-scene.ts';

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const code = (answer: number): string => `export default async () => ${answer};\n`;
const endpoints = (answer: number): Files => ({ 'endpoints/answer.ts': code(answer) });
const answer = async (): Promise<string> => (await at.ok('GET', '/api/endpoints/answer')).code;

async function deployments(): Promise<Deployment[]> {
  const { items } = await at.ok('GET', '/api/deployments');
  return items.map((item: unknown) => deployment.parse(item));
}

test('an import keeps what it leaves, and once what was there before it', async () => {
  expect(await deployments()).toEqual([]);
  const first = await at.import(endpoints(1));
  const second = await at.import(endpoints(2));
  const items = await deployments();
  expect(items.map(({ id, cause }) => [id, cause])).toEqual([
    [second.deploymentId, 'import'],
    [first.deploymentId, 'import'],
    [expect.any(String), 'found'],
  ]);
  expect(items[0]).toMatchObject({
    by: { name: 'admin' },
    token: null,
    of: null,
    mirror: false,
    totals: { created: 0, changed: 1, failed: 0 },
  });
  const details = await at.ok('GET', `/api/deployments/${first.deploymentId}`);
  expect(deploymentDetails.parse(details).changes).toEqual([
    { kind: 'endpoint', name: 'answer', action: 'created' },
  ]);
});

test('an import that changes nothing, or is refused, is none', async () => {
  const before = await deployments();
  expect(await at.import(endpoints(2))).toMatchObject({ applied: true, deploymentId: null });
  const refused = await at.import({ 'endpoints/answer.ts': 'nothing' });
  expect(refused).toMatchObject({ applied: false, deploymentId: null });
  expect(await deployments()).toEqual(before);
});

test('a rollback brings back what a deployment had left, as a new one', async () => {
  const [now, before] = await deployments();
  const dryRun = await at.rollBack(String(before?.id), '?dryRun=true');
  expect(changesIn(dryRun)).toEqual(['changed endpoint answer']);
  expect(await answer()).toBe(code(2));
  const done = await at.rollBack(String(before?.id));
  expect(done).toMatchObject({ applied: true, mirror: true, totals: { changed: 1 } });
  expect(await answer()).toBe(code(1));
  const [newest, next] = await deployments();
  expect(newest).toMatchObject({ cause: 'rollback', of: before?.id, digest: before?.digest });
  expect(next?.id).toBe(now?.id);
});

test('what people have changed since is kept, too, and can be gone back to', async () => {
  const { version } = await at.ok('GET', '/api/endpoints/answer');
  await at.ok('PUT', '/api/endpoints/answer', { code: code(3), version });
  await at.ok('POST', '/api/endpoints/create', { name: 'other', code: code(9) });
  const { deploymentId } = await at.import(endpoints(4));
  const [newest, found] = await deployments();
  expect(newest?.id).toBe(deploymentId);
  expect(found).toMatchObject({ cause: 'found', by: null, token: null });
  const [, , rollback] = await deployments();
  expect(rollback?.cause).toBe('rollback');
  expect(changesIn(await at.rollBack(String(rollback?.id)))).toEqual([
    'changed endpoint answer',
    'deleted endpoint other',
  ]);
  expect(changesIn(await at.rollBack(String(found?.id)))).toEqual([
    'changed endpoint answer',
    'created endpoint other',
  ]);
  expect(await answer()).toBe(code(3));
});

test('a rollback over a change of the schema brings a type back, or is refused as a whole', async () => {
  const schemaOf = (type: string): string =>
    JSON.stringify({ nodes: [{ type, fields: { Size: 'Int' } }] });
  const counts = (type: string): string =>
    `export default ({ q }: Scope) => q().startWhere('${type}', 'Size', '>', 0).count();\n`;
  const change = async (what: object): Promise<string> => {
    await at.ok('POST', '/api/schema/changes', { changes: [what] });
    return JSON.stringify(await at.ok('GET', '/api/schema'));
  };
  const deploy = async (type: string): Promise<string> => {
    const files = { 'schema.json': schemaOf(type), 'endpoints/shelves.ts': counts(type) };
    const { deploymentId } = await at.import(files);
    await at.import({ 'endpoints/shelves.ts': code(0) });
    return String(deploymentId);
  };
  const dropped = await deploy('Shelf');
  expect(await change({ drop: { type: 'Shelf' } })).not.toContain('"Shelf"');
  expect(changesIn(await at.rollBack(dropped))).toEqual([
    'changed schema schema',
    'changed endpoint shelves',
  ]);
  expect(Number(await at.ok('POST', '/api/endpoints/run/shelves', {}))).toBe(0);

  const retyped = await deploy('Case');
  await change({ retype: { type: 'Case', field: 'Size', to: 'String' } });
  const before = await at.exportedFiles();
  const { applied, items } = await at.rollBack(retyped);
  const refused = items.filter(({ action }) => action === 'failed');
  expect([applied, refused.map(({ kind, error }) => [kind, error?.code])]).toEqual([
    false,
    [
      ['schema', 'schema_conflict'],
      ['endpoint', 'endpoint_not_compiled'],
    ],
  ]);
  expect(await at.exportedFiles()).toEqual(before);
});

test('a deployment that there is not is not found', async () => {
  const missing = await at.send('/api/deployments/none/rollback', { method: 'POST' });
  expect([missing.status, Object(await missing.json()).error.code]).toEqual([
    404,
    'deployment_not_found',
  ]);
});

test('as many are kept as are told, the oldest go', async () => {
  const before = await at.ok('GET', '/api/deployments');
  for (let i = before.total; i < 52; i++) await at.import(endpoints(100 + i));
  const { total } = await at.ok('GET', '/api/deployments');
  expect(total).toBe(50);
  const { items } = await at.ok('GET', '/api/deployments?skip=49');
  const oldest = await at.rollBack(items[0].id, '?dryRun=true');
  expect(oldest.totals.failed).toBe(0);
});

test('an import fails as a whole when somebody changes one of its definitions meanwhile', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`endpoints/many/${i}.ts`, code(i)]),
  );
  const { version } = await at.ok('GET', '/api/endpoints/answer');
  const importing = at.events({ ...many, 'endpoints/answer.ts': code(5) });
  await expect
    .poll(
      async () => (await at.ok('GET', '/api/jobs?kind=definitions-import&take=1')).items[0].step,
    )
    .toContain('many/');
  await at.ok('PUT', '/api/endpoints/answer', { code: code(6), version });
  const events = await importing;
  const error = events.find(({ event }) => event === 'error');
  expect(Object(error?.data).error.code).toBe('version_conflict');
  expect(await answer()).toBe(code(6));
  expect(await at.exportedFiles()).not.toHaveProperty(['endpoints/many/0.ts']);
});
