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
