import type { Caller } from '#access/caller.ts';
import { AGENT_TOOL_TIMEOUT_MS } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { ModelRequest, ModelRunner } from '../model/model-run.ts';
import type { CallerTools, WantedTools } from '../tools/caller-tools.ts';
import { filledIn, type StoredAgent } from './agent-store.ts';
import { OutputSchema } from './output-schema.ts';
import type { Transcript } from './agent-run-store.ts';
import type { TokenCounts } from '../router/llm-call.ts';

export interface AgentAnswerParts {
  readonly models: ModelRunner;
  readonly callerTools: CallerTools;
  /** In milliseconds, from any beginning. */
  readonly now: () => number;
}

export interface AgentTask {
  readonly agent: StoredAgent;
  readonly caller: Caller;
  readonly message: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly wanted: Omit<WantedTools, 'names'>;
  readonly transcript: Transcript;
  /** Called with the tokens that each answer of the model has used. */
  readonly onUsed: (usage: TokenCounts) => void;
  readonly signal: AbortSignal;
}

/**
 * The answer of an agent: text, or the value that its schema asks for. The agent is asked once more
 * for an answer that does not fit. Rejects as the model does, and with `agent_output_invalid`.
 */
export async function answerOfAgent(task: AgentTask, parts: AgentAnswerParts): Promise<unknown> {
  const { agent, message, transcript } = task;
  const schema = agent.outputSchema === null ? undefined : new OutputSchema(agent.outputSchema);
  const untilMs = parts.now() + agent.limits.seconds * 1_000;
  const request = await requestOf(task, schema, parts);
  const ask = async (changed: Partial<ModelRequest>, said: string): Promise<string> => {
    transcript.ask(said);
    const { usage, ended } = await parts.models.run({ ...request, ...changed });
    task.onUsed(usage);
    const text = transcript.answer;
    if (ended === 'length' || ended === 'tokens') throw cutShort(ended);
    return text;
  };
  const first = await ask({}, message);
  if (schema === undefined) return first;
  const checked = schema.check(first);
  if (checked.fault === undefined) return checked.value;
  const again = `That does not fit the JSON Schema:\n${checked.fault}\nAnswer with the JSON value alone.`;
  const second = await ask(
    {
      messages: [
        ...request.messages,
        // Providers take no message without text.
        { role: 'assistant', text: first === '' ? '(nothing)' : first },
        { role: 'user', text: again },
      ],
      tools: [],
      limits: { ...request.limits, timeoutMs: Math.max(1, Math.ceil(untilMs - parts.now())) },
    },
    again,
  );
  const rechecked = schema.check(second);
  if (rechecked.fault === undefined) return rechecked.value;
  throw new Problem(
    'agent_output_invalid',
    `The answer does not fit the outputSchema: ${rechecked.fault}`,
  );
}

async function requestOf(
  { agent, caller, message, variables, wanted, transcript, signal }: AgentTask,
  schema: OutputSchema | undefined,
  { callerTools }: AgentAnswerParts,
): Promise<ModelRequest> {
  const { steps, toolCalls, tokens, seconds } = agent.limits;
  const filled = filledIn(agent.instructions, variables);
  const timeoutMs = seconds * 1_000;
  return {
    caller,
    feature: 'agents',
    model: agent.model ?? undefined,
    instructions: schema === undefined ? filled : `${filled}\n\n${schema.instructions}`,
    messages: [{ role: 'user', text: message }],
    tools: await callerTools.for(caller, { ...wanted, names: agent.tools }),
    limits: {
      stepsMax: steps,
      toolCallsMax: toolCalls,
      tokensMax: tokens,
      timeoutMs,
      toolTimeoutMs: Math.min(AGENT_TOOL_TIMEOUT_MS, timeoutMs),
    },
    signal,
    onEvent: (event) => transcript.see(event),
  };
}

function cutShort(limit: string): Problem {
  const what = limit === 'length' ? 'tokens of one answer' : 'tokens of the run';
  return new Problem('agent_output_invalid', `The answer was cut short: the ${what} were used up.`);
}
