import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../program.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** Ends the command as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

/** An empty folder, until the test ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command in this process. Without XDG folders in `env` it has a home of its own. */
export async function trellis(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Outcome> {
  const { env = { HOME: scratchFolder() }, stdin = '', signal } = surroundings;
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCommandLine(args, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: { write: (line) => stdout.push(line) },
    stderr: { write: (line) => stderr.push(line) },
    env,
    signal: signal ?? new AbortController().signal,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Runs a command in this process, at a terminal where somebody types. */
export async function trellisAtTerminal(
  args: readonly string[],
  {
    env = { HOME: scratchFolder() },
    typed,
  }: { env?: Record<string, string>; typed: readonly string[] },
): Promise<Outcome> {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const waiting = [...typed];
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCommandLine(args, {
    stdin: keyboard,
    stdout: { write: (line) => stdout.push(line), isTTY: true },
    stderr: {
      write(line) {
        stderr.push(line);
        // Whoever types waits for the question.
        if (line.endsWith(': ')) keyboard.write(waiting.shift() ?? '');
      },
      isTTY: true,
      columns: 120,
    },
    env,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Runs a command as people do: a process of its own. */
export async function spawnTrellis(
  args: readonly string[],
  { env = { HOME: scratchFolder() }, stdin = '' }: Surroundings = {},
): Promise<Outcome> {
  const script = join(import.meta.dirname, '../main.ts');
  const flags = ['--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, script, ...args], { env });
  child.stdin.end(stdin);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  return { code, stdout, stderr };
}
