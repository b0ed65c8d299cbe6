import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { TrellisProcess, temporaryFolder } from '../support/trellis-process.ts';

/**
 * What `npm start` runs is made of the sources (decision 0019): who reads what it says of a fault
 * need not know.
 */

const UNBUILT = join(import.meta.dirname, '../../cli/src/main.ts');

/** The trace of a server that cannot start because what should be a file is a folder. */
async function traceOf(program: string): Promise<string[]> {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'restore.json'));
  const { code, stderr } = await TrellisProcess.startRefused({ storage: folder.path, program });
  expect(code, stderr).toBe(1);
  const failed = stderr.split('\n').find((line) => line.includes('"the server failed"')) ?? '{}';
  return String(JSON.parse(failed).err?.stack).split('\n');
}

test('stack traces name the places in the sources, as those of the sources do', async () => {
  const [built, unbuilt] = await Promise.all([traceOf(PROGRAM), traceOf(UNBUILT)]);
  expect(built).toEqual(unbuilt);
  expect(built.join('\n')).toMatch(/at async serve \(file:\/\S+\/server\/src\/app\/serve\.ts:\d+:/);
  expect(built.join('\n')).toMatch(/at async file:\/\S+\/cli\/src\/main\.ts:\d+:/);
});
