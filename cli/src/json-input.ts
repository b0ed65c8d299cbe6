import { readFileSync } from 'node:fs';
import { CommandFailure } from './failure.ts';
import { readAll } from './prompt.ts';
import type { Terminal } from './terminal.ts';

/** The JSON in a file; "-" is standard input. */
export async function readJson(terminal: Terminal, file: string): Promise<unknown> {
  const text = file === '-' ? await readAll(terminal) : readFileSync(file, 'utf8');
  return parseJson(text, file === '-' ? 'standard input' : file);
}

/** `what` names the text to whoever wrote it. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`${what} is not valid JSON: ${reason}`, { cause });
  }
}
