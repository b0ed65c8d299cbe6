import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { requireShells } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

/** What the shells themselves make of the scripts of `trellis completion`. */

const execute = promisify(execFile);
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, 'bin'));
  const command = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${PROGRAM}' "$@"`;
  await writeFile(join(folder.path, 'bin/trellis'), `#!/bin/sh\n${command}\n`);
  await chmod(join(folder.path, 'bin/trellis'), 0o755);
  await writeFile(join(folder.path, 'own endpoint.ts'), '');
});
afterAll(() => folder[Symbol.asyncDispose]());

async function inShell(shell: string, args: readonly string[], script: string): Promise<string> {
  const path = `${join(folder.path, 'bin')}:${process.env['PATH']}`;
  const env = { PATH: path, HOME: folder.path, TERM: 'dumb' };
  const { stdout } = await execute(`/usr/bin/${shell}`, [...args, '-c', script], {
    cwd: folder.path,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** What a line is completed to, by line; Tab is pressed in the last word of each. */
async function bashCompletions(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const asked = lines.map((words) => `tab ${words.map((word) => `'${word}'`).join(' ')}`);
  const stdout = await inShell(
    'bash',
    ['--norc'],
    `source <(trellis completion bash)
tab() { COMP_WORDS=(trellis "$@"); COMP_CWORD=$#; _trellis; local IFS='|'; echo "\${COMPREPLY[*]}"; }
${asked.join('\n')}`,
  );
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => (line === '' ? [] : line.split('|')));
}

describe.skipIf(requireShells())('completion', () => {
  test('in bash completes values, files with blanks, and what comes after options', async () => {
    expect(
      await bashCompletions([
        ['serve', '--sample', ''],
        ['serve', '--sample', '=', 'w'],
        ['serve', '--port', ''],
        ['serve', '--config', 'own'],
        ['--server', 'endpoint', 'task', 'ru'],
        ['endpoint', 'push', 'own'],
        ['completion', 'z'],
        ['endpoint', 'nope', ''],
      ]),
    ).toEqual([
      ['wordnet', 'none'],
      ['wordnet'],
      [],
      ['own endpoint.ts'],
      ['run'],
      ['own endpoint.ts'],
      ['zsh'],
      expect.arrayContaining(['push']),
    ]);
  });

  test('in fish shows what each word means', async () => {
    const lines = [
      'trellis complet',
      'trellis serve --sample w',
      'trellis serve --config own',
      'trellis --server endpoint task sh',
      'trellis uid ',
    ];
    const stdout = await inShell(
      'fish',
      ['--no-config'],
      `trellis completion fish | source; for line in ${lines.map((line) => `'${line}'`).join(' ')}; echo "> $line"; complete -C "$line"; end`,
    );
    const answers = stdout.split(/^> .*\n/m).slice(1);
    expect(answers).toEqual([
      'completion\tprint what completes commands in your shell\n',
      expect.stringMatching(/^wordnet\t.*\n$/),
      'own endpoint.ts\n',
      expect.stringMatching(/^show\t.*\n$/),
      '',
    ]);
  });

  test('in zsh completes at the prompt', async () => {
    await writeFile(
      join(folder.path, 'session.zsh'),
      `zmodload zsh/zpty
zpty shell /usr/bin/zsh -f -i
# Waits for the pattern: what it gives begins after what was read before.
seen() { local text=''; zpty -r shell text "*$1*" || exit 1; }
zpty -w shell 'PS1="ready> "; autoload -U compinit; compinit -u -D; source <(trellis completion zsh)'
zpty -w shell 'print -r -- "set"" up"'
seen 'set up'
type() { zpty -w -n shell "$1"; seen "$2"; zpty -w -n shell $'\\C-u'; print -r -- "$1"; }
type $'trellis complet\\t' 'completion '
type $'trellis serve --sam\\t' '--sample '
type $'trellis serve --sample w\\t' 'wordnet '
type $'trellis serve --config own\\t' 'own\\\\ endpoint.ts '
type $'trellis --server endpoint tas\\t' 'task '
type $'trellis completion fi\\t' 'fish '
`,
    );
    expect((await inShell('zsh', ['-f'], 'source ./session.zsh')).split('\n')).toHaveLength(7);
  });
});
