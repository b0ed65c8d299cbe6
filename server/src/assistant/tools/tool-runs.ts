import type { Caller } from '#access/caller.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import type { EndpointRun } from '#runtime/invocation.ts';
import type { OfferedTool } from './tool-catalog.ts';

/** What a tool is called with, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface ToolRunsParts {
  readonly run: (run: EndpointRun) => Promise<EndpointAnswer>;
  /** Keeps a search of a model to what an administrator says. Throws `invalid_request`. */
  readonly narrowSearch: (request: Arguments) => Arguments;
  /** Told of each call of a tool that an administrator made. */
  readonly onCalled: (tool: string, ms: number, isError: boolean) => void;
  /** In milliseconds, from any beginning. */
  readonly now: () => number;
}

/** On whose behalf a tool is run, and what its endpoint is told of the request. */
export interface ToolRun extends Pick<
  EndpointRun,
  'authorization' | 'headers' | 'onProgress' | 'agentDepth'
> {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** The one that an administrator says what it may look for. */
const SEARCH_ENDPOINT = 'system/search';

/** Runs the endpoints of tools, and has the calls counted. */
export class ToolRuns {
  readonly #parts: ToolRunsParts;

  constructor(parts: ToolRunsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with what `read` makes of the answer, which may have the status of an error. Rejects
   * as the endpoint does, with what `read` throws, and with the reason of the signal.
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
      // One that nobody waits for any more has not failed.
      isError = !as.signal.aborted;
      throw error;
    } finally {
      if (tool.isDefined) onCalled(tool.name, now() - startedMs, isError);
    }
  }

  /** One that was offered as a reader may do nothing else. */
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
