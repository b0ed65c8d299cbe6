import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesIn, DefinitionsScene, EXPORT } from '../support/definitions-scene.ts';
import { CODE, defineEverything } from '../support/every-definition.ts';

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
  await defineEverything(at);
});
afterAll(() => at[Symbol.asyncDispose]());

const BROKEN = 'export default async ({ nothing }: Scope) => nothing.at.all;\n';
const READ_ONLY = '{"isReadOnly": true}';
const named = (name: string) => ({ kind: 'endpoint', name });

describe('an export', () => {
  test('is a zip of files that people read, and the same bytes each time', async () => {
    const answer = await at.send(EXPORT);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toContain('definitions.zip');
    const files = await at.exportedFiles();
    expect(Object.keys(files)).toEqual([
      'agents/librarian.json',
      'agents/librarian.md',
      expect.stringMatching(/^connectors\/\w{22}\.json$/),
      'endpoints/draft.json',
      'endpoints/draft.ts',
      'endpoints/words/lookup.json',
      'endpoints/words/lookup.ts',
      'golden-answers/books.json',
      'golden-sets/titles.json',
      'llm-search-settings.json',
      'manifest.json',
      'migrations/001 titles.json',
      'migrations/001 titles.ts',
      'research-settings.json',
      'schema.json',
      'search-settings.json',
      'synonyms/any.json',
      'synonyms/en.json',
      'tasks/Every night.json',
      'tools/lookup.json',
      'type-access.json',
      'workspace-settings.json',
    ]);
    expect(files['endpoints/words/lookup.ts']).toBe(CODE);
    expect(JSON.parse(files['endpoints/words/lookup.json']!)).toMatchObject({
      isReadOnly: true,
      access: 'users',
      description: 'Looks a word up.',
    });
    expect(files['agents/librarian.md']).toBe('You are a librarian.\n\nAnswer in one sentence.\n');
    expect(JSON.parse(files['synonyms/any.json']!)).toEqual({
      IT: { Alternates: [], Blocked: [], Synonyms: ['computing'] },
    });
    // What decides which of equal names comes first, and what a node is called.
    expect(JSON.parse(files['search-settings.json']!).types.Book.weight).toBe(3);
    expect(JSON.parse(files['schema.json']!).nodes).toContainEqual(
      expect.objectContaining({ type: 'Book', label: 'Title' }),
    );
    expect(JSON.parse(files['type-access.json']!).types.Book).toEqual({
      visibleTo: 'restricted',
      fields: { Pages: { teams: ['Editors'] }, Tags: {} },
    });
    expect(JSON.parse(files['manifest.json']!)).toMatchObject({ format: 1, product: 'Trellis' });
    expect(Buffer.from(await at.exported()).equals(Buffer.from(await at.exported()))).toBe(true);
  });

  test('has no secret', async () => {
    const key = 'sk-hunter2-hunter2';
    await at.ok('PUT', '/api/chatai/providers', {
      chat: {
        provider: 'anthropic',
        baseUrl: 'https://api.example.com',
        model: 'm',
        apiKey: key,
      },
    });
    await at.ok('POST', '/api/tokens', { kind: 'interface', name: 'deploy' });
    const files = await at.exportedFiles();
    expect(JSON.stringify(files)).not.toMatch(/hunter2|apiKey|password|"secret/i);
    await at.ok('PUT', '/api/chatai/providers', { chat: null });
  });
});

describe('an import', () => {
  test('of its own export changes nothing', async () => {
    const zip = await at.exported();
    for (const query of ['', '?mirror=true', '?dryRun=true', '?mirror=true&dryRun=true']) {
      const result = await at.import(zip, query);
      expect(changesIn(result)).toEqual([]);
      expect(result.totals).toMatchObject({ unchanged: 17, failed: 0 });
    }
    expect(Buffer.from(await at.exported()).equals(Buffer.from(zip))).toBe(true);
  });

  test('into an empty workspace makes the same one', async () => {
    await using empty = await DefinitionsScene.start();
    const zip = await at.exported();
    const withoutTeam = await empty.import(zip, '?dryRun=true');
    expect(changesIn(withoutTeam)).toContain('failed type-access type-access');
    await empty.ok('PUT', '/api/groups/group', { name: 'Editors' });
    // One endpoint is a draft.
    const dryRun = await empty.import(zip, '?dryRun=true&drafts=true');
    expect(dryRun.totals).toMatchObject({ created: 16, changed: 1, failed: 0 });
    expect(dryRun).toMatchObject({ applied: false, deploymentId: null });
    expect(await empty.exportedFiles()).not.toHaveProperty(['tools/lookup.json']);
    const result = await empty.import(zip, '?drafts=true');
    expect(result).toMatchObject({ applied: true, deploymentId: expect.any(String) });
    expect(changesIn(result)).toEqual(changesIn(dryRun));
    expect(Buffer.from(await empty.exported()).equals(Buffer.from(zip))).toBe(true);
    const tool = Object(await empty.ok('GET', '/api/chatai/tools')).items[0];
    expect(tool).toMatchObject({ name: 'lookup', problem: null });
  });

  test('tells steps, then the result, then done; and is a job', async () => {
    const files = { 'endpoints/a/b.ts': CODE, 'endpoints/a/b.json': READ_ONLY, 'README.md': '' };
    const events = await at.events(files);
    expect(events.slice(0, 2)).toEqual([
      { event: 'log', data: { text: 'Left out: README.md.' } },
      { event: 'log', data: { text: 'Created the endpoint "a/b".' } },
    ]);
    const [, , result, done] = events;
    expect(done).toEqual({ event: 'done', data: {} });
    expect(Object(result?.data)).toMatchObject({
      dryRun: false,
      mirror: false,
      applied: true,
      totals: { created: 1, changed: 0, deleted: 0, unchanged: 0, failed: 0 },
      ignored: ['README.md'],
      items: [{ ...named('a/b'), file: 'endpoints/a/b.ts', action: 'created', error: null }],
    });
    const { jobId } = Object(result?.data);
    const job = await at.ok('GET', `/api/jobs/${jobId}`);
    expect(job).toMatchObject({ kind: 'definitions-import', state: 'succeeded', progress: 1 });
    expect(job.log).toHaveLength(2);
    const made = await at.ok('GET', '/api/endpoints/a/b');
    // Who does not say that it is for users, has it for administrators.
    expect(made).toMatchObject({ code: CODE, isReadOnly: true, access: 'admins', compiles: true });
    const history = await at.ok('GET', '/api/code/history/item/endpoint/a/b');
    expect(history.items).toMatchObject([{ version: 1, action: 'created' }]);
    const imported = async () => {
      const { items } = await at.ok('GET', '/api/audit?action=definitions.imported');
      return items[0]?.target.id;
    };
    expect(await imported()).toBe(jobId);
  });

  test('does nothing where a part fails, and tells all that does', async () => {
    const files = {
      'endpoints/a/b.ts': BROKEN,
      'endpoints/a/b.json': '{}',
      'endpoints/a/c.ts': BROKEN,
      'endpoints/a/c.json': READ_ONLY,
      'endpoints/a/d.json': READ_ONLY,
      'endpoints/a/e.ts': CODE,
      'endpoints/a/f.ts': CODE,
      'endpoints/a/f.json': '{"timeoutMs": "long"}',
      'endpoints/system/search.ts': CODE,
    };
    const dryRun = await at.import(files, '?dryRun=true');
    expect(await at.ok('GET', '/api/endpoints/a/b')).toMatchObject({ version: 1 });
    const result = await at.import(files);
    for (const { items, applied, deploymentId } of [dryRun, result]) {
      expect([applied, deploymentId]).toEqual([false, null]);
      expect(items.map(({ name, action, error }) => [name, action, error?.code])).toEqual([
        ['a/b', 'failed', 'endpoint_not_compiled'],
        ['a/c', 'failed', 'not_read_only'],
        ['a/d', 'failed', 'invalid_request'],
        ['a/e', 'created', undefined],
        ['a/f', 'failed', 'invalid_request'],
        ['system/search', 'failed', 'endpoint_built_in'],
      ]);
      const [draft, refused] = items;
      expect(draft?.diagnostics[0]).toMatchObject({ line: 1, message: expect.any(String) });
      expect(draft?.diff).toContain('--- a/endpoints/a/b.ts\n+++ b/endpoints/a/b.ts\n');
      expect(refused?.diagnostics).toHaveLength(1);
    }
    const { state, error } = await at.ok('GET', `/api/jobs/${result.jobId}`);
    expect([state, error.code]).toEqual(['failed', 'import_incomplete']);
    expect(await at.ok('GET', '/api/endpoints/a/b')).toMatchObject({ version: 1, compiles: true });
    expect(await at.exportedFiles()).not.toHaveProperty(['endpoints/a/e.ts']);
  });

  test('takes code that does not compile as a draft when it is told to', async () => {
    const files = { 'endpoints/a/b.ts': BROKEN, 'endpoints/a/b.json': '{}' };
    const drafts = await at.import({ ...files, 'endpoints/a/e.ts': CODE }, '?drafts=true');
    expect(drafts).toMatchObject({
      drafts: true,
      applied: true,
      totals: { changed: 1, created: 1 },
    });
    expect(drafts.items[0]?.diagnostics).toHaveLength(1);
    expect(await at.ok('GET', '/api/endpoints/a/b')).toMatchObject({ version: 2, compiles: false });
  });

  test('checks code against the schema and the endpoints that there will be', async () => {
    const schema = (fields: object) => JSON.stringify({ nodes: [{ type: 'Box', fields }] });
    const size = `export default async function ({ q }: Scope): Promise<number[]> {
  return (await q().startAt('Box').nodes()).map(({ Size }) => Size ?? 0);
}
`;
    const files = { 'schema.json': schema({ Size: 'Int' }), 'endpoints/box/size.ts': size };
    expect((await at.import(files)).totals).toMatchObject({ changed: 1, created: 1, failed: 0 });
    const caller = `export default async function ({ run }: Scope): Promise<readonly number[]> {
  return await run('box/size');
}
`;
    // It is of an endpoint whose name comes later.
    const pair = { 'endpoints/box/all.ts': caller.replace('box/size', 'box/sum') };
    const sum = `export default async function (): Promise<number[]> {
  return [1];
}
`;
    const both = await at.import({ ...pair, 'endpoints/box/sum.ts': sum });
    expect(both.items.map(({ diagnostics }) => diagnostics)).toEqual([[], []]);
    // What runs it is left alone.
    const texts = sum.replace('number', 'string').replace('1', "'one'");
    const broken = await at.import({ 'endpoints/box/sum.ts': texts });
    expect(broken.applied).toBe(false);
    expect(broken.items).toMatchObject([
      { ...named('box/sum'), action: 'changed' },
      { ...named('box/all'), action: 'failed', file: 'endpoints/box/all.ts' },
    ]);
    expect(broken.items[1]?.error?.code).toBe('endpoint_not_compiled');
    expect(broken.items[1]?.diagnostics[0]).toMatchObject({ line: 2 });
    // A field that becomes a list is another type to code that was left alone.
    const wider = await at.import({ 'schema.json': schema({ Size: 'Int[]' }) });
    expect(wider.items.map(({ name, action, error }) => [name, action, error?.code])).toEqual([
      ['schema', 'changed', undefined],
      ['box/size', 'failed', 'endpoint_not_compiled'],
    ]);
    const { nodes } = await at.ok('GET', '/api/schema');
    expect(nodes).toContainEqual(expect.objectContaining({ type: 'Box', fields: { Size: 'Int' } }));
    const gone = ['box/all', 'box/sum', 'box/size'];
    for (const name of gone) await at.ok('DELETE', `/api/endpoints/${name}`);
  });

  test('as a mirror deletes what the zip has not, tools before their endpoints', async () => {
    const { 'tools/lookup.json': _tool, ...rest } = await at.exportedFiles();
    const kept = Object.entries(rest).filter(
      ([path]) => !/^(?:endpoints\/|tasks\/|synonyms\/any)/.test(path),
    );
    const files = Object.fromEntries(kept);
    const expected = [
      'deleted task Every night',
      'deleted tool lookup',
      'deleted endpoint a/b',
      'deleted endpoint a/e',
      'deleted endpoint draft',
      'deleted endpoint words/lookup',
      'deleted synonyms any',
    ];
    expect(changesIn(await at.import(files))).toEqual([]);
    expect(changesIn(await at.import(files, '?mirror=true&dryRun=true'))).toEqual(expected);
    await at.ok('GET', '/api/endpoints/draft');
    const before = await at.exported();
    const result = await at.import(files, '?mirror=true');
    expect(changesIn(result)).toEqual(expected);
    expect(result.items.at(-1)?.diff).toContain('+++ /dev/null');
    expect(await at.exportedFiles()).toEqual(files);
    // Those of the server stay.
    await at.ok('GET', '/api/endpoints/system/search');
    expect((await at.import(before, '?drafts=true')).totals).toMatchObject({
      created: 7,
      failed: 0,
    });
    expect(Buffer.from(await at.exported()).equals(Buffer.from(before))).toBe(true);
  });

  test('as a mirror leaves kinds alone that whoever made the zip did not know', async () => {
    const { 'manifest.json': text } = await at.exportedFiles();
    const manifest = JSON.parse(text!);
    const kinds = manifest.kinds.filter(
      (kind: string) => !['endpoint', 'tool', 'task', 'migration'].includes(kind),
    );
    const files = { 'manifest.json': JSON.stringify({ ...manifest, kinds }) };
    expect(changesIn(await at.import(files, '?mirror=true&dryRun=true'))).toEqual([
      'deleted golden-answers books',
      'deleted golden-set titles',
      expect.stringMatching(/^deleted connector \w{22}$/),
      'deleted agent librarian',
      'deleted synonyms any',
      'deleted synonyms en',
    ]);
  });

  test('refuses a tool whose endpoint is not there, or would not be', async () => {
    const tool = (endpoint: string) => JSON.stringify({ description: 'd', endpoint });
    const files = { 'tools/one.json': tool('nothing'), 'tools/two.json': tool('words/lookup') };
    for (const query of ['?dryRun=true', '?mirror=true&dryRun=true']) {
      const { items } = await at.import(files, query);
      const tools = items.filter(({ kind, action }) => kind === 'tool' && action !== 'deleted');
      expect(tools.map(({ error }) => error?.code)).toEqual([
        'endpoint_not_found',
        query.includes('mirror') ? 'endpoint_not_found' : undefined,
      ]);
    }
  });

  test('leaves what a file of many things does not name, unless it is a mirror', async () => {
    const before = await at.exported();
    const files = {
      'schema.json': '{"nodes": [{"type": "Shelf", "fields": {"Label": "String"}}]}',
      'search-settings.json': '{"types": {"Shelf": {"fields": {"Label": {"text": {}}}}}}',
      'synonyms/en.json': '{"shelf": {"Synonyms": ["rack"], "Alternates": [], "Blocked": []}}',
      'research-settings.json': '{"limits": {"minutes": 3}}',
    };
    expect((await at.import(files, '?dryRun=true')).totals).toMatchObject({ changed: 4 });
    expect((await at.import(files)).totals).toMatchObject({ changed: 4, failed: 0 });
    const after = await at.exportedFiles();
    const keys = (path: string, member: string) => Object.keys(JSON.parse(after[path]!)[member]);
    expect(keys('search-settings.json', 'types')).toEqual(['Book', 'Shelf']);
    expect(Object.keys(JSON.parse(after['synonyms/en.json']!))).toEqual(['car', 'shelf']);
    expect(keys('research-settings.json', 'limits')).toEqual(['steps', 'minutes']);
    const mirrored = await at.import(before, '?mirror=true');
    expect(changesIn(mirrored)).toEqual([
      'changed search-settings search-settings',
      'changed synonyms en',
      'changed research-settings research-settings',
    ]);
    const { 'schema.json': schema } = await at.exportedFiles();
    // Nothing is ever taken from a schema: there is data.
    expect(schema).toContain('Shelf');
  });

  test('says what the schema would lose', async () => {
    const files = {
      'schema.json': '{"nodes": [{"type": "Book", "fields": {"Pages": "String"}}]}',
      'synonyms/en.json': '{}',
    };
    for (const query of ['', '?dryRun=true']) {
      const { items } = await at.import(files, query);
      expect(items.map(({ error }) => error?.code)).toEqual(['schema_conflict', undefined]);
    }
  });

  test('is for administrators who may write, an export also for others', async () => {
    const { http, token } = at.workspace;
    const traits = { password: 'correct horse battery', isReadOnlyAdmin: true };
    const body = { userName: 'reader', email: 'reader@example.com', ...traits };
    await http.send({ path: '/api/users', token, body });
    const reader = await http.signIn('reader', 'correct horse battery');
    expect((await at.send(EXPORT, {}, reader)).status).toBe(200);
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'application/zip' } };
    const refused = await at.send('/api/graph/import-definitions?dryRun=true', init, reader);
    expect(refused.status).toBe(403);
  });
});
