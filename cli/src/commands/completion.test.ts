import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { trellis } from '../testing/command-line.ts';

/** What a line is completed to, by line; Tab is pressed in the last word of each. */
function bashCompletions(script: string, lines: readonly (readonly string[])[]): string[][] {
  const asked = lines.map((words) => `tab ${words.map((word) => `'${word}'`).join(' ')}`);
  const tab = `tab() { COMP_WORDS=(trellis "$@"); COMP_CWORD=$#; _trellis; echo "\${COMPREPLY[*]}"; }`;
  const input = [script, tab, ...asked].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['--norc'], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

/** The commands of a page of help, and its options. */
function wordsOfHelp(help: string, isProgram: boolean): { commands: string[]; flags: string[] } {
  const [usage = ''] = help.split('\nExamples:');
  const parts = usage.split(/\n(?=\S)/);
  const names = (part: string): string[] =>
    [...part.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  return {
    commands: parts.filter((part) => !/^(?:Usage|Arguments)/.test(part)).flatMap(names),
    flags: [...usage.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => isProgram || name !== '--version'),
  };
}

test('bash knows each command and each option that the help shows', async () => {
  const waiting: string[][] = [[]];
  const pages: { path: string[]; commands: string[]; flags: string[] }[] = [];
  const help = async (path: string[]): Promise<void> => {
    const { stdout } = await trellis([...path, '--help']);
    const found = wordsOfHelp(stdout, path.length === 0);
    // The command "help" of a group says what "--help" says.
    const commands = found.commands.filter((name) => name !== 'help');
    pages.push({ path, ...found, commands });
    waiting.push(...commands.map((name) => [...path, name]));
  };
  for (const path of waiting) await help(path);
  const { stdout: script } = await trellis(['completion', 'bash']);
  expect(pages.length).toBeGreaterThan(150);
  const commandLines = pages.filter(({ commands }) => commands.length > 0);
  const shown = bashCompletions(script, [
    ...commandLines.map(({ path }) => [...path, '']),
    ...pages.map(({ path }) => [...path, '--']),
  ]);
  const wanted = [
    ...commandLines.map(({ commands }) => commands),
    ...pages.map(({ flags }) => [...new Set(flags)]),
  ];
  expect(shown.map((words) => words.toSorted())).toEqual(wanted.map((words) => words.toSorted()));
});
