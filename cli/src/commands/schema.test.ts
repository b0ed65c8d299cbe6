import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const present = { nodes: [{ type: 'Word', fields: { Count: 'Int' } }], edges: [] };
const wanted = { nodes: [{ type: 'Word', fields: { Count: 'Long' } }], edges: [] };

async function startSchema() {
  const service = await startService({
    'GET /api/schema': () => ({ body: present }),
    'PUT /api/schema': ({ body }) => ({ body: JSON.parse(body) }),
  });
  return ['--server', service.url];
}

function fileWith(document: unknown): string {
  const path = join(scratchFolder(), 'schema.json');
  writeFileSync(path, JSON.stringify(document));
  return path;
}

describe('schema', () => {
  it('get prints a document that put takes', async () => {
    const server = await startSchema();
    const { stdout } = await trellis(['schema', 'get', ...server]);
    expect(JSON.parse(stdout)).toEqual(present);
    const put = await trellis(['schema', 'put', '-', ...server], { stdin: stdout });
    expect(put).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The schema was like this already.\n',
    });
  });

  it('put shows what has changed', async () => {
    const server = await startSchema();
    const { code, stdout } = await trellis(['schema', 'put', fileWith(wanted), ...server]);
    expect(code).toBe(0);
    expect(stdout).toBe('~ node Word.Count: Int -> Long\n');
  });

  it('diff fails when put would change something, and only then', async () => {
    const server = await startSchema();
    const different = await trellis(['schema', 'diff', fileWith(wanted), ...server]);
    expect(different).toMatchObject({ code: 1, stdout: '~ node Word.Count: Int -> Long\n' });
    const smaller = { nodes: [{ type: 'Word', fields: {} }], edges: [] };
    const same = await trellis(['schema', 'diff', fileWith(smaller), ...server]);
    expect(same).toMatchObject({ code: 0, stdout: '- node Word.Count: Int\n' });
  });

  it('refuses what is no schema before it asks the server', async () => {
    const file = fileWith({ nodes: [{ type: 'Word', fields: { Count: 'Integer' } }], edges: [] });
    const { code, stderr } = await trellis(['schema', 'put', file]);
    expect(code).toBe(1);
    expect(stderr).toContain('is not a schema document');
    expect(stderr).toContain('nodes.0.fields.Count');
  });
});

describe('schema index', () => {
  const indexed = {
    nodes: [
      {
        type: 'Word',
        key: 'Lemma',
        fields: { Lemma: 'String', Count: 'Int' },
        indexes: [
          { field: 'Count', state: 'building', entries: 7 },
          { fields: ['Lemma', 'Count'], unique: true, state: 'ready', entries: 12 },
        ],
      },
    ],
    edges: [],
  };

  async function startIndexed(built: () => object = () => indexed) {
    const bodies: unknown[] = [];
    const service = await startService({
      'GET /api/schema': () => ({ body: built() }),
      'PUT /api/schema': ({ body }) => {
        bodies.push(JSON.parse(body));
        return { body: indexed };
      },
      'DELETE /api/schema/indexes': ({ body }) => {
        bodies.push(JSON.parse(body));
        return { status: 204 };
      },
    });
    return { server: ['--server', service.url], bodies };
  }

  it('list shows fields, state and values', async () => {
    const { server } = await startIndexed();
    const { stdout } = await trellis(['schema', 'index', 'list', ...server]);
    expect(stdout).toMatch(/^Word +Count +building +7$/m);
    expect(stdout).toMatch(/^Word +Lemma, Count +unique +ready +12$/m);
    const json = await trellis(['schema', 'index', 'list', 'Nothing', '--json', ...server]);
    expect(JSON.parse(json.stdout)).toEqual([]);
  });

  it('add sends the index alone, and waits until it is ready', async () => {
    let looks = 0;
    const { server, bodies } = await startIndexed(() => {
      const [word] = indexed.nodes;
      const isReady = ++looks > 2;
      const indexes = [{ field: 'Count', state: isReady ? 'ready' : 'building', entries: 12 }];
      return { nodes: [{ ...word, indexes }], edges: [] };
    });
    const added = await trellis(['schema', 'index', 'add', 'Word', 'Count', '--wait', ...server]);
    expect(added).toMatchObject({ code: 0, stderr: 'The index of Word over Count is ready.\n' });
    expect(bodies).toEqual([
      { nodes: [{ type: 'Word', fields: {}, indexes: [{ field: 'Count' }] }], edges: [] },
    ]);
  });

  it('add makes no type of a mistyped name', async () => {
    const { server, bodies } = await startIndexed();
    const { code, stderr } = await trellis(['schema', 'index', 'add', 'Wrod', 'Count', ...server]);
    expect(code).toBe(1);
    expect(stderr).toContain('There is no node type "Wrod"');
    expect(bodies).toEqual([]);
  });

  it('remove names the fields in order', async () => {
    const { server, bodies } = await startIndexed();
    await trellis(['schema', 'index', 'remove', 'Word', 'Lemma', 'Count', ...server]);
    await trellis(['schema', 'index', 'remove', 'Word', 'Count', ...server]);
    expect(bodies).toEqual([
      { type: 'Word', fields: ['Lemma', 'Count'] },
      { type: 'Word', field: 'Count' },
    ]);
  });
});
