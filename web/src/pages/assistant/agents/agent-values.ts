import type { AgentDefinition, NewAgent } from '@trellis/contract/shapes/agent.ts';

/** An agent as its form has it. */
export interface AgentValues {
  name: string;
  description: string;
  /** Blank for that of chat. */
  model: string;
  instructions: string;
  tools: readonly string[];
  /** JSON; blank where answers are text. */
  outputSchema: string;
  access: 'users' | 'admins';
  /** Not a number where the default is to hold. */
  steps: number;
  toolCalls: number;
  tokens: number;
  seconds: number;
}

export const NEW_AGENT: AgentValues = {
  name: '',
  description: '',
  model: '',
  instructions: '',
  tools: [],
  outputSchema: '',
  access: 'users',
  steps: Number.NaN,
  toolCalls: Number.NaN,
  tokens: Number.NaN,
  seconds: Number.NaN,
};

export function agentValuesOf(agent: AgentDefinition): AgentValues {
  const { name, description, model, instructions, tools, outputSchema, access, limits } = agent;
  return {
    name,
    description,
    instructions,
    tools,
    access,
    ...limits,
    model: model ?? '',
    outputSchema: outputSchema === null ? '' : JSON.stringify(outputSchema, null, 2),
  };
}

/** What is sent; its schema has to be one that `schemaProblem` finds nothing in. */
export function agentOf(values: AgentValues): NewAgent {
  const { model, outputSchema, steps, toolCalls, tokens, seconds, ...settings } = values;
  const limits = Object.entries({ steps, toolCalls, tokens, seconds });
  return {
    ...settings,
    model: model === '' ? null : model,
    outputSchema: outputSchema.trim() === '' ? null : Object(JSON.parse(outputSchema)),
    limits: Object.fromEntries(limits.filter(([, value]) => !Number.isNaN(value))),
  };
}

/**
 * Why a text is no JSON Schema of an answer, as far as can be said here; undefined when it may be
 * one.
 */
export function schemaProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'Enter a JSON Schema, which is an object.';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
