import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths: {},
  components: {},
};

it('writes the description of the API to stdout, or to a file that it leaves alone when it is the same', async () => {
  const service = await startService({ 'GET /api/openapi.json': () => ({ body: document }) });
  const server = ['--server', service.url];
  const shown = await trellis(['openapi', ...server]);
  expect(JSON.parse(shown.stdout)).toEqual(document);
  const out = join(scratchFolder(), 'openapi.json');
  const written = await trellis(['openapi', '--out', out, ...server]);
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Wrote ${out}.\n` });
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(document);
  const again = await trellis(['openapi', '--out', out, '--json', ...server]);
  expect(JSON.parse(again.stdout)).toEqual({ file: out, isWritten: false });
});
