import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { sampled } from '../support/scale.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';
import { documentedCommands, documentedJson, type CommandBlock } from './documented-blocks.ts';
import { PREPARED_PAGES } from './prepared-pages.ts';

const blocks = documentedCommands();
const run = blocks.filter(({ whyNot }) => whyNot === undefined);
const isOurs = (line: string): boolean => line === '' || /^trellis [a-z]/.test(line);
/** Without the documents that commands read from the page. */
const commandLines = ({ commands }: CommandBlock): string[] =>
  commands.replaceAll(/(<<'END')\n[^]*?\nEND$/gm, '$1').split('\n');
/** Other programs could do anything to this machine: what names one is never run. */
const pages = Map.groupBy(
  run.filter((block) => commandLines(block).every(isOurs)),
  ({ page }) => page,
);

interface Outcome {
  readonly code: number;
  readonly output: string;
}

/**
 * In a shell that stops at the first command which fails, as an administrator, in a folder of the
 * page's own.
 */
function inShell(
  { commands }: CommandBlock,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile('sh', ['-e', '-c', commands], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
    child.stdin?.end();
  });
}

/** A folder with the command `trellis`, as an installation puts it on the path. */
async function installed(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const command = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${PROGRAM}' "$@"`;
  await writeFile(join(bin, 'trellis'), `#!/bin/sh\n${command}\n`);
  await chmod(join(bin, 'trellis'), 0o755);
  return bin;
}

describe('the commands of a page do what it says, one block after the other', () => {
  test.each(sampled([...pages], 6))('docs/%s', async (page, own) => {
    await using workspace = await startWorkspace();
    await using folder = await temporaryFolder();
    const cwd = join(folder.path, 'cwd');
    await mkdir(cwd);
    await PREPARED_PAGES[page]?.({ workspace, folder: cwd });
    const env = {
      PATH: `${await installed(folder.path)}${delimiter}${process.env['PATH']}`,
      HOME: folder.path,
      TRELLIS_SERVER: workspace.server.url,
      TRELLIS_TOKEN: workspace.token,
    };
    for (const block of own) {
      const { code, output } = await inShell(block, cwd, env);
      expect(code, `${block.place}\n${output}`).toBe(0);
    }
  });
});

test('what names other programs says that it is not run', () => {
  const others = run.filter((block) => !commandLines(block).every(isOurs));
  expect(others.map(({ place }) => place)).toEqual([]);
});

test('whatever is not run says why, and most pages with commands are run', () => {
  const unclear = blocks.filter(({ whyNot }) => whyNot !== undefined && whyNot.length < 10);
  expect(unclear.map(({ place }) => place)).toEqual([]);
  expect(pages.size).toBeGreaterThanOrEqual(8);
  expect(Object.keys(PREPARED_PAGES).filter((page) => !pages.has(page))).toEqual([]);
});

test('what is said to be JSON is', () => {
  for (const { place, text } of documentedJson()) {
    expect(() => JSON.parse(text) as unknown, place).not.toThrow();
  }
});
