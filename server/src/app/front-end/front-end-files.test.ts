import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '@trellis/contract/limits.ts';
import { readFrontEnd, readFrontEndFolder } from './front-end-files.ts';
import { manifestOf } from './front-end-manifest.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trellis-front-end-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the folder of a front end', () => {
  it('is read whole, its names as a URL has them, in one order', async () => {
    await mkdir(join(folder, 'b/.hidden'), { recursive: true });
    for (const name of ['b/é ?.js', 'b/.x', 'b/.hidden/y', 'a.html', '.z']) {
      await writeFile(join(folder, name), name);
    }
    const files = await readFrontEndFolder(folder);
    expect([...files.keys()]).toEqual(['/a.html', '/b/%C3%A9%20%3F.js']);
    expect(files.get('/a.html')?.bytes.toString()).toBe('a.html');
  });

  it('has another digest when a file or a name is another', async () => {
    const digests = new Set<string>();
    const read = async () => digests.add(manifestOf(await readFrontEndFolder(folder)).digest);
    await read();
    await writeFile(join(folder, 'a'), 'x');
    await read();
    await writeFile(join(folder, 'a'), 'y');
    await read();
    await writeFile(join(folder, 'b'), 'y');
    await rm(join(folder, 'a'));
    await read();
    expect(digests.size).toBe(4);
    await read();
    expect(digests.size).toBe(4);
  });

  it('is refused when it is not there, or too large', async () => {
    const code = 'front_end_unreadable';
    await expect(readFrontEndFolder(join(folder, 'x'))).rejects.toMatchObject({ code });
    await writeFile(join(folder, 'a'), '');
    await truncate(join(folder, 'a'), FRONT_END_BYTES_MAX);
    expect((await readFrontEndFolder(folder)).size).toBe(1);
    await truncate(join(folder, 'a'), FRONT_END_BYTES_MAX + 1);
    await expect(readFrontEndFolder(folder)).rejects.toMatchObject({ code });
    await truncate(join(folder, 'a'), 0);
    const names = Array.from({ length: FRONT_END_FILES_MAX - 1 }, (_, i) => `b${i}`);
    for (const name of names) await writeFile(join(folder, name), '');
    expect((await readFrontEndFolder(folder)).size).toBe(FRONT_END_FILES_MAX);
    await writeFile(join(folder, 'c'), '');
    await expect(readFrontEndFolder(folder)).rejects.toMatchObject({ code });
  });

  it('is the one that is configured, from where the server was started, or the one that was built', async () => {
    const warnings: string[] = [];
    const logger = { warn: (text: unknown) => void warnings.push(String(text)) };
    const read = async (configured: string | null, startFolder = '/') => {
      const builtInFolder = join(folder, 'dist');
      const documentsFolder = join(folder, 'documents');
      const files = await readFrontEnd({
        configured,
        startFolder,
        builtInFolder,
        documentsFolder,
        logger,
      });
      return [...files.keys()];
    };
    for (const name of ['own', 'dist', 'documents']) {
      expect(await read(null)).toEqual(name === 'documents' ? ['/dist.js'] : []);
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, `${name}.js`), '');
    }
    expect(await read(null)).toEqual(['/dist.js', '/docs/documents.js']);
    expect(await read('own', folder)).toEqual(['/own.js']);
    expect(await read(join(folder, 'own'))).toEqual(['/own.js']);
    expect(warnings).toHaveLength(5);
    for (const warning of warnings) expect(warning).toContain('npm run build');
    await expect(read('nowhere', folder)).rejects.toMatchObject({ code: 'front_end_unreadable' });
  });
});
