import { Problem } from '#base/problem.ts';
import { isObject } from '#base/assert.ts';
import { type JsonObject } from '../router/json-members.ts';
import type { ModelEvent, ModelLimits, ModelTool, ToolCall } from './model-run.ts';
import type { ModelRunnerParts } from './sdk-model-runner.ts';

export interface ToolCallsParts extends Pick<ModelRunnerParts, 'now' | 'onToolFault'> {
  readonly limits: ModelLimits;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: ModelEvent) => void;
  /** Throws when the caller has lost rights since the run started. */
  readonly check: () => void;
}

/** What the model reads about a call. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** The calls of tools in one run, in the order in which they end. */
export class ToolCalls {
  readonly #parts: ToolCallsParts;
  readonly #ended: ToolCall[] = [];
  /** What the model is told of calls that could not start, by their id. */
  readonly #refusals = new Map<string, string>();
  #begun = 0;

  constructor(parts: ToolCallsParts) {
    this.#parts = parts;
  }

  get ended(): readonly ToolCall[] {
    return this.#ended;
  }

  /** Whether the limit of calls is reached. */
  get areUsedUp(): boolean {
    return this.#begun >= this.#parts.limits.toolCallsMax;
  }

  /**
   * Errors are told to the model. Rejects only when the run is aborted or the caller has lost
   * rights.
   */
  async call(tool: ModelTool, id: string, given: unknown): Promise<ToolAnswer> {
    const { now, onEvent, signal, check } = this.#parts;
    check();
    const input = isObject(given) ? given : {};
    const isOneTooMany = this.areUsedUp;
    this.#begun++;
    onEvent({ kind: 'tool-call', id, tool: tool.name, input });
    const startedMs = now();
    try {
      if (isOneTooMany) throw tooMany(this.#parts.limits);
      if (!isObject(given)) throw notAnObject();
      const { text, output } = await this.#within(tool, input);
      // Does not give a result to a caller who has lost the right to ask for it meanwhile.
      check();
      this.#end(id, { tool: tool.name, input, output, ms: now() - startedMs });
      return { text, isError: false };
    } catch (fault) {
      signal.throwIfAborted();
      check();
      const error = this.#errorOf(fault, tool);
      this.#end(id, { tool: tool.name, input, error, ms: now() - startedMs });
      return { text: told(error, fault), isError: true };
    }
  }

  /**
   * Records a call that could not start: the tool does not exist, or its arguments are not JSON.
   */
  refused(id: string, tool: string, given: unknown, error: NonNullable<ToolCall['error']>): void {
    const input: JsonObject = isObject(given) ? given : {};
    this.#begun++;
    this.#refusals.set(id, told(error, undefined));
    this.#parts.onEvent({ kind: 'tool-call', id, tool, input });
    this.#end(id, { tool, input, error, ms: 0 });
  }

  /** Undefined for a call that did start. */
  refusalOf(id: string): string | undefined {
    return this.#refusals.get(id);
  }

  /** Does not wait for a tool that ignores its signal. */
  async #within(tool: ModelTool, input: JsonObject): ReturnType<ModelTool['call']> {
    const { limits, signal } = this.#parts;
    const late = AbortSignal.timeout(limits.toolTimeoutMs);
    const either = AbortSignal.any([signal, late]);
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal.aborted ? signal.reason : tooLate(tool, limits));
    either.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([tool.call(input, either), promise]);
    } finally {
      either.removeEventListener('abort', onAbort);
    }
  }

  #end(id: string, call: ToolCall): void {
    this.#ended.push(call);
    this.#parts.onEvent({ kind: 'tool-result', id, call });
  }

  #errorOf(fault: unknown, { name }: ModelTool): NonNullable<ToolCall['error']> {
    if (fault instanceof Problem) return { code: fault.code, message: fault.message };
    this.#parts.onToolFault(fault, name);
    return { code: 'internal_error', message: 'The tool failed.' };
  }
}

/** With what to do, where the server says it: such as whether to call again. */
function told({ code, message }: NonNullable<ToolCall['error']>, fault: unknown): string {
  const hint = fault instanceof Problem ? fault.hint : undefined;
  return `${code}: ${message}${hint === undefined ? '' : `\n${hint}`}`;
}

function tooMany({ toolCallsMax }: ModelLimits): Problem {
  const message = `${toolCallsMax} calls of tools is the limit: answer with what you have.`;
  return new Problem('too_many_requests', message);
}

function tooLate({ name }: ModelTool, { toolTimeoutMs }: ModelLimits): Problem {
  const message = `The tool "${name}" took longer than ${toolTimeoutMs / 1_000} seconds.`;
  return new Problem('tool_timeout', message);
}

function notAnObject(): Problem {
  return new Problem('invalid_request', 'The arguments of a tool must be a JSON object.');
}
