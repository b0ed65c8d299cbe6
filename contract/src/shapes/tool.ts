import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  ENDPOINT_NAME_CHARACTERS_MAX,
  TOOL_DESCRIPTION_CHARACTERS_MAX,
  TOOL_NAME_CHARACTERS_MAX,
} from '../limits.ts';
import { endpointMetrics } from './stats.ts';

/** What all providers of models take as the name of a function. */
export const toolName = z
  .string()
  .max(TOOL_NAME_CHARACTERS_MAX)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be made of letters, digits, "_" and "-"');

export const toolInPath = z.object({ name: toolName });

/** What an administrator decides about a tool (open-shapes, section 7). */
const toolSettings = z.strictObject({
  /** For the model: what it does, and when to call it. */
  description: z.string().trim().min(1).max(TOOL_DESCRIPTION_CHARACTERS_MAX),
  /** The name of the endpoint that it wraps. */
  endpoint: z.string().min(1).max(ENDPOINT_NAME_CHARACTERS_MAX),
  /** Users whose models are offered the tool, if they may call the endpoint. */
  access: z.enum(['users', 'admins']),
  enabled: z.boolean(),
});

export const newTool = toolSettings
  .partial({ access: true, enabled: true })
  .extend({ name: toolName });
export type NewTool = Immutable<z.infer<typeof newTool>>;

/** What is left out stays as it is. */
export const toolChange = toolSettings.partial();
export type ToolChange = Immutable<z.infer<typeof toolChange>>;

export const toolDefinition = toolSettings.extend({
  UID: z.string(),
  name: toolName,
  /** Whether its endpoint is read-only; null when there is no such endpoint. */
  isReadOnly: z.boolean().nullable(),
  /**
   * The same. As a tool that reads it is refused all the same: see `mayRunOnPrimary` of endpoints.
   */
  mayRunOnPrimary: z.boolean().nullable(),
  /** Why nobody is offered it; null when it works. */
  problem: z.enum(['endpoint_not_found', 'endpoint_not_compiled', 'endpoint_tool_off']).nullable(),
  updatedAt: z.iso.datetime(),
});
export type ToolDefinition = Immutable<z.infer<typeof toolDefinition>>;

/** Calls of one tool on this server since it started; an error is a result that says so. */
const toolMetrics = endpointMetrics.omit({ name: true }).extend({ tool: toolName });

export const toolMetricsList = z.strictObject({ items: z.array(toolMetrics) });
export type ToolMetricsList = Immutable<z.infer<typeof toolMetricsList>>;
