import { setImmediate } from 'node:timers/promises';
import type { RunningCallers } from '#access/running-callers.ts';
import type { LlmAdmission } from '../router/admission.ts';
import type { ProviderStreams } from '../router/provider-stream.ts';
import type { ModelOutcome, ModelRequest, ModelRunner } from './model-run.ts';

export interface ModelRunnerParts {
  readonly admission: LlmAdmission;
  readonly streams: ProviderStreams;
  /** A run ends when its caller loses their rights. */
  readonly running: Pick<RunningCallers, 'check' | 'watch'>;
  /** In milliseconds; only differences between two values count. */
  readonly now: () => number;
  /**
   * Called with an error of a tool that is not a `Problem`. The model only learns that the tool
   * failed.
   */
  readonly onToolFault: (error: unknown, tool: string) => void;
}

/**
 * Asks the configured provider with the Vercel AI SDK, over the server's own client for providers.
 */
export class SdkModelRunner implements ModelRunner {
  readonly #parts: ModelRunnerParts;
  /** Resolves when the last of the waiting runs may start. */
  #begun: Promise<void> = Promise.resolve();

  constructor(parts: ModelRunnerParts) {
    this.#parts = parts;
  }

  async run(request: ModelRequest): Promise<ModelOutcome> {
    request.signal.throwIfAborted();
    // The SDK takes longer to load than the rest of the server, so it is loaded when a model is
    // first asked.
    const { runModel } = await import('./sdk-run.ts');
    await this.#nextBegin();
    return runModel(request, this.#parts);
  }

  /**
   * Starts one run per turn of the event loop: so many new runs do not delay those that are already
   * answering.
   */
  #nextBegin(): Promise<void> {
    this.#begun = this.#begun.then(() => setImmediate());
    return this.#begun;
  }
}
