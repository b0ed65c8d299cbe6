import { setImmediate } from 'node:timers/promises';
import type { RunningCallers } from '#access/running-callers.ts';
import type { LlmAdmission } from '../router/admission.ts';
import type { ProviderStreams } from '../router/provider-stream.ts';
import type { ModelOutcome, ModelRequest, ModelRunner } from './model-run.ts';

export interface ModelRunnerParts {
  readonly admission: LlmAdmission;
  readonly streams: ProviderStreams;
  /** A run ends with the rights of its caller. */
  readonly running: Pick<RunningCallers, 'check' | 'watch'>;
  /** In milliseconds, from any beginning. */
  readonly now: () => number;
  /**
   * Told of what a tool threw that was no `Problem`: the model learns no more than that it failed.
   */
  readonly onToolFault: (error: unknown, tool: string) => void;
}

/**
 * Asks the provider of the settings by the Vercel AI SDK, over this server's own client of
 * providers.
 */
export class SdkModelRunner implements ModelRunner {
  readonly #parts: ModelRunnerParts;
  /** When the last run of those that wait begins. */
  #begun: Promise<void> = Promise.resolve();

  constructor(parts: ModelRunnerParts) {
    this.#parts = parts;
  }

  async run(request: ModelRequest): Promise<ModelOutcome> {
    request.signal.throwIfAborted();
    // The SDK takes longer to load than the rest of the server: only those wait for it who ask a
    // model.
    const { runModel } = await import('./sdk-run.ts');
    await this.#nextBegin();
    return runModel(request, this.#parts);
  }

  /**
   * One run begins in a turn of the event loop: when many come at once, those that are answering
   * are not held up.
   */
  #nextBegin(): Promise<void> {
    this.#begun = this.#begun.then(() => setImmediate());
    return this.#begun;
  }
}
