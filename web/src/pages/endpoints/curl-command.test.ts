import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { curlCommand } from './curl-command.ts';

const BASE = new URL('https://graph.example.org/below/');

/** What a shell hands to the program, in the place of `curl`. */
function argumentsOf(command: string): string[] {
  const script = command.replace(/^curl/, String.raw`printf '%s\0'`);
  const env = { TRELLIS_TOKEN: 'secret' };
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env })
    .split('\0')
    .slice(0, -1);
}

it('calls the endpoint with a token of the environment', () => {
  expect(argumentsOf(curlCommand(BASE, 'a b/c', ''))).toEqual([
    '-X',
    'POST',
    'https://graph.example.org/below/api/endpoints/token/run/a%20b/c',
    '-H',
    'Authorization: Bearer secret',
  ]);
});

it('sends any body as it is', () => {
  const body = fc
    .string({ unit: 'grapheme' })
    .filter((text) => !text.includes('\0') && text.trim() !== '');
  fc.assert(
    fc.property(body, (text) => {
      expect(argumentsOf(curlCommand(BASE, 'a', text)).at(-1)).toBe(text.trim());
    }),
    { numRuns: 30 },
  );
});
