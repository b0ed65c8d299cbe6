#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
/**
 * `npx trellis` in a checkout: sets up what is missing, as each script of npm does, and runs the
 * program that was built. Plain JavaScript, for whatever Node the machine has.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = `${ROOT}server/dist/trellis.js`;
const PINNED_NODE = `${ROOT}node_modules/.bin/node`;
const NODE_MAJOR_MIN = 24;

const setup = spawnSync(process.execPath, [`${ROOT}tools/setup.mjs`, 'runtime'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (setup.status !== 0) process.exit(setup.status ?? 1);
if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN || !existsSync(PINNED_NODE)) {
  await import(PROGRAM);
} else {
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM, ...process.argv.slice(2)];
  const { status } = spawnSync(PINNED_NODE, args, { stdio: 'inherit' });
  process.exit(status ?? 1);
}
