import type { Caller } from '#access/caller.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { EndpointRun } from '#runtime/invocation.ts';
import type { OfferedTool } from './tool-catalog.ts';

/** The arguments of a tool, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface ToolRunsParts {
  readonly run: (run: EndpointRun) => Promise<EndpointAnswer>;
  /** Limits a search of a model to what an administrator allows. Throws `invalid_request`. */
  readonly narrowSearch: (request: Arguments) => Arguments;
  /** Called after each call of a tool that an administrator made. */
  readonly onCalled: (tool: string, ms: number, isError: boolean) => void;
  /** In milliseconds; only differences between two values count. */
  readonly now: () => number;
}

/** The caller of a tool, and the parts of the request that its endpoint sees. */
export interface ToolRun extends Pick<
  EndpointRun,
  'authorization' | 'headers' | 'onProgress' | 'agentDepth'
> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** Administrators limit what this endpoint finds for models. */
const SEARCH_ENDPOINT = 'system/search';

/** Runs the endpoints of tools, and reports the calls. */
export class ToolRuns {
  readonly #parts: ToolRunsParts;

  constructor(parts: ToolRunsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the result of `read`, which gets the answer, also one with an error status.
   * Rejects like the endpoint, with what `read` throws, and with the reason of the signal.
   */
  async call<R>(
    tool: OfferedTool,
    given: Arguments,
    as: ToolRun,
    read: (answer: EndpointAnswer) => R,
  ): Promise<R> {
    const { now, onCalled } = this.#parts;
    const startedMs = now();
    let isError = false;
    try {
      const answer = await this.#run(tool, given, as);
      isError = answer.status >= 400;
      return read(answer);
    } catch (error) {
      // An aborted call does not count as failed.
      isError = !as.signal.aborted;
      throw error;
    } finally {
      if (tool.isDefined) onCalled(tool.name, now() - startedMs, isError);
    }
  }

  /** A tool that is offered as read-only cannot write, even when its endpoint has changed since. */
  #run(
    { endpoint, isReadOnly }: OfferedTool,
    given: Arguments,
    as: ToolRun,
  ): Promise<EndpointAnswer> {
    const { run, narrowSearch } = this.#parts;
    const body = endpoint === SEARCH_ENDPOINT ? narrowSearch(given) : given;
    const request = { name: endpoint, body: JSON.stringify(body), runKey: null, isAwaited: true };
    return run({ ...request, ...as, mayOnlyRead: isReadOnly });
  }
}
