import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Cluster } from './cluster.ts';

async function linesIn(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

test('what happens on the channel is in files of its own below MSK_LOG_PATH', async () => {
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  const replica = await cluster.node('replica');
  const folder = join(cluster.folder, 'logs');
  await primary.startPrimary({ MSK_LOG_PATH: folder });
  const { uid } = await (await replica.startReplica(await cluster.link(primary))).ready;
  await replica.process.stop();
  await primary.process.stop();
  const registration = new RegExp(`new read-only replica registration: .* \\(${uid}\\)`);
  expect(await linesIn(join(folder, 'replication'))).toMatch(registration);
  expect(await linesIn(folder)).not.toMatch(registration);
});
