import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  AGENT_INSTRUCTIONS_CHARACTERS_MAX,
  AGENT_MESSAGE_CHARACTERS_MAX,
  AGENT_SECONDS_MAX,
  AGENT_STEPS_MAX,
  AGENT_TOKENS_MAX,
  AGENT_TOOL_CALLS_MAX,
  AGENT_TOOLS_MAX,
  AGENT_VARIABLE_CHARACTERS_MAX,
  AGENT_VARIABLES_MAX,
  EMBEDDING_MODEL_CHARACTERS_MAX,
  TOOL_DESCRIPTION_CHARACTERS_MAX,
} from '../limits.ts';
import { GRAPH_NAME_CHARACTERS_MAX } from '../request-limits.ts';
import { pageQuery } from './list.ts';
import { chatCitation } from './chat.ts';
import { supportMembers } from './support.ts';
import { toolName } from './tool.ts';
import { recordUpTo } from '../bounded-shapes.ts';

/** As tools are named, so that one can be in a path. */
const agentName = toolName;

export const agentInPath = z.object({ name: agentName });
export const agentRunInPath = z.object({ uid: z.string().min(1).max(100) });

/** What one run may use. */
const agentLimits = z.strictObject({
  /** Times that the model is asked. */
  steps: z.int().min(1).max(AGENT_STEPS_MAX),
  toolCalls: z.int().min(0).max(AGENT_TOOL_CALLS_MAX),
  /** In and out, over all steps. */
  tokens: z.int().min(1).max(AGENT_TOKENS_MAX),
  seconds: z.int().min(1).max(AGENT_SECONDS_MAX),
});

/** What an administrator decides about an agent. */
const agentSettings = z.strictObject({
  description: z.string().trim().max(TOOL_DESCRIPTION_CHARACTERS_MAX),
  /** One of those that the settings of the provider allow; the first of them when null. */
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).nullable(),
  /** With variables: `${NAME}`, and `${NAME:-what stands there without a value}`. */
  instructions: z.string().trim().min(1).max(AGENT_INSTRUCTIONS_CHARACTERS_MAX),
  /** Names of tools; a run gets those that its user may call. */
  tools: z.array(toolName).max(AGENT_TOOLS_MAX),
  /** A JSON Schema that every answer has to fit; null where answers are text. */
  outputSchema: z.record(z.string(), z.unknown()).nullable(),
  /** Who may run it. */
  access: z.enum(['users', 'admins']),
  limits: agentLimits,
});

const optional = { limits: agentLimits.partial() };

export const newAgent = agentSettings
  .partial()
  .extend({ ...optional, name: agentName, instructions: agentSettings.shape.instructions })
  .partial({ limits: true });
export type NewAgent = Immutable<z.infer<typeof newAgent>>;

/** What is left out stays as it is. */
export const agentChange = agentSettings.partial().extend(optional).partial({ limits: true });
export type AgentChange = Immutable<z.infer<typeof agentChange>>;

export const agentDefinition = agentSettings.extend({
  UID: z.string(),
  name: agentName,
  updatedAt: z.iso.datetime(),
});
export type AgentDefinition = Immutable<z.infer<typeof agentDefinition>>;

/** As those see it who may run it. */
export const agentSummary = agentDefinition
  .omit({ instructions: true, outputSchema: true, limits: true, tools: true })
  .extend({
    /** Names of the variables in its instructions. */
    variables: z.array(z.string()),
  });
export type AgentSummary = Immutable<z.infer<typeof agentSummary>>;

export const agentRunRequest = z.strictObject({
  message: z.string().trim().min(1).max(AGENT_MESSAGE_CHARACTERS_MAX),
  /** Values of the variables in its instructions; one that it has not is left alone. */
  variables: recordUpTo(
    AGENT_VARIABLES_MAX,
    z.string().max(GRAPH_NAME_CHARACTERS_MAX),
    z.string().max(AGENT_VARIABLE_CHARACTERS_MAX),
  ).optional(),
  /** Answers at once, while the run goes on. */
  async: z.boolean().optional(),
});
export type AgentRunRequest = Immutable<z.infer<typeof agentRunRequest>>;

const fault = z.strictObject({ code: z.string(), message: z.string() });

const transcriptEntry = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), text: z.string() }),
  z.strictObject({ role: z.literal('assistant'), text: z.string() }),
  /** With neither output nor error, the output was too large to be kept. */
  z.strictObject({
    role: z.literal('tool'),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
    output: z.unknown().optional(),
    error: fault.optional(),
    ms: z.number().min(0),
  }),
]);

/** One run of an agent, of the user whom it runs as. */
export const agentRun = z.strictObject({
  UID: z.string(),
  agent: z.string(),
  /** UID. */
  user: z.string(),
  status: z.enum(['Running', 'Completed', 'Canceled', 'Failed']),
  message: z.string(),
  variables: z.record(z.string(), z.string()),
  /** Text, or what the agent's `outputSchema` says; null unless it is completed. */
  result: z.unknown(),
  error: fault.nullable(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  usage: z.strictObject({ inputTokens: z.int().min(0), outputTokens: z.int().min(0) }),
  /** Of a result that is text: what it cites, as of an answer of the chat. */
  citations: z.array(chatCitation),
  ...supportMembers,
});
export type AgentRun = Immutable<z.infer<typeof agentRun>>;

export const agentRunWithTranscript = agentRun.extend({ transcript: z.array(transcriptEntry) });
export type AgentRunWithTranscript = Immutable<z.infer<typeof agentRunWithTranscript>>;

export const agentRunsQuery = pageQuery.extend({ agent: agentName.optional() });
