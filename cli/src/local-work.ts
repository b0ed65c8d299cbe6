import type { CommandContext } from './command-context.ts';
import { CommandFailure } from './failure.ts';
import { ProgressLine } from './progress-bar.ts';

type Outcome<T> =
  | { readonly done: T }
  | {
      readonly failure: {
        readonly code: string;
        readonly message: string;
        readonly hint: string | undefined;
      };
    };

export interface LocalProgress {
  readonly signal: AbortSignal;
  report(share: number, step: string): void;
  log(text: string): void;
}

/** What a command does itself, without a server, with its progress on stderr. */
export async function localWork<T>(
  { output, terminal }: CommandContext,
  working: (progress: LocalProgress) => Promise<Outcome<T>>,
): Promise<T> {
  const line = new ProgressLine(terminal.stderr);
  const outcome = await working({
    signal: terminal.signal,
    report: (share, step) => line.update(share, step),
    log: (text) => output.note(text),
  }).finally(() => line.clear());
  if ('done' in outcome) return outcome.done;
  const { code, message, hint } = outcome.failure;
  throw new CommandFailure(message, { code, hint });
}
