import { once } from 'node:events';
import { type Readable, Writable } from 'node:stream';

/**
 * Where the command runs; `main.ts` hands in the process's own, so that nothing else reads globals.
 */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface TerminalOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Writes bytes of something long, and waits while the reader takes no more. */
export async function writeBytes(
  target: TerminalOutput,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (!(target instanceof Writable)) target.write(Buffer.from(bytes).toString());
  else if (!target.write(bytes)) await once(target, 'drain', { signal });
}

/** Prints until the reader has enough, such as `head`. */
export async function printParts(
  { stdout, signal }: Terminal,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const part of parts) await writeBytes(stdout, part, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

/** Tells of one thing that happened: an object of `--json`, or text for people. */
export type Tell = (event: Readonly<Record<string, unknown>>, text: string) => void;

/** What the commands print: data to stdout, everything else to stderr. */
export class Output {
  readonly #terminal: Terminal;
  /** Whether data is JSON for programs, one value a line, rather than text for people. */
  readonly isJson: boolean;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.isJson = isJson;
  }

  /** The command's result: `value` with `--json`, else the text. */
  data(value: unknown, text: string): void {
    const line = this.isJson ? JSON.stringify(value) : text;
    if (line !== '') this.#terminal.stdout.write(line.endsWith('\n') ? line : `${line}\n`);
  }

  /** Tells people what happens. */
  note(text: string): void {
    this.#terminal.stderr.write(`${text}\n`);
  }
}

/**
 * Control characters, and those that turn the direction of text, which a terminal would obey, as
 * what stands for them.
 */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** The same, but for line breaks. */
export function harmlessLines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}

/** Columns under headings, as wide as they need to be. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(harmless))];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A line for each fact whose value is known: the label, padded to `width`, then the value. */
export function factLines(
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
  width: number,
): string[] {
  return facts.flatMap(([label, value]) => (value ? [`${label.padEnd(width)}${value}`] : []));
}

/** A size for people. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
