import { z } from 'zod';
import { backupErrors } from './errors/backups.ts';
import {
  adminAgentErrors,
  agentErrors,
  chatErrors,
  llmErrors,
  documentErrors,
  goldenErrors,
  researchErrors,
} from './errors/assistant.ts';
import { definitionErrors, frontEndErrors } from './errors/workspace.ts';
import { endpointErrors } from './errors/endpoints.ts';
import { fileErrors } from './errors/files.ts';
import { graphErrors } from './errors/graph.ts';
import { identityErrors } from './errors/identity.ts';
import { jobErrors, migrationErrors, taskErrors } from './errors/jobs.ts';
import { replicationErrors } from './errors/replication.ts';
import { requestErrors } from './errors/request.ts';
import { searchErrors } from './errors/search.ts';
import { serverErrors } from './errors/server.ts';
import { storageErrors } from './errors/storage.ts';

/**
 * The error catalogue: every `code` that an error body can carry (open-shapes, section 2). Codes
 * are stable; a problem's own hint goes before the one given here.
 */
export const errorCatalogue = {
  ...requestErrors,
  ...identityErrors,
  ...graphErrors,
  ...backupErrors,
  ...chatErrors,
  ...definitionErrors,
  ...endpointErrors,
  ...fileErrors,
  ...frontEndErrors,
  ...jobErrors,
  ...llmErrors,
  ...replicationErrors,
  ...documentErrors,
  ...goldenErrors,
  ...researchErrors,
  ...searchErrors,
  ...serverErrors,
  ...storageErrors,
  ...adminAgentErrors,
  ...agentErrors,
  ...taskErrors,
  ...migrationErrors,
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/**
 * A code that came from another server or an older store; `otherwise` when this catalogue lacks it.
 */
export function errorCodeOf(code: string, otherwise: ErrorCode): ErrorCode {
  return isErrorCode(code) ? code : otherwise;
}

/** The body of every answer with a status from 400 up (open-shapes, section 2). */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  traceId: z.string(),
});

/**
 * The error body of the LLM router, with the members that clients of OpenAI and Anthropic read:
 * under `/api/llm/openai` and `/api/llm/anthropic`.
 */
export const routerErrorBody = errorBody.extend({
  type: z.literal('error'),
  error: errorBody.shape.error.extend({ type: z.string() }),
});

/** The error body under `/api/scim/v2`, with the members that SCIM has (RFC 7644, section 3.12). */
export const scimErrorBody = errorBody.extend({
  schemas: z.array(z.string()),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
});

export type ScimErrorBody = z.infer<typeof scimErrorBody>;

/**
 * The error body of what OAuth clients call: `error` is a word of their protocol (RFC 6749, section
 * 5.2; RFC 7591, section 3.2.2).
 */
export const oauthErrorBody = z.strictObject({
  error: z.string(),
  error_description: z.string(),
  traceId: z.string(),
});
export type OAuthErrorBody = z.infer<typeof oauthErrorBody>;

/** Whether errors of a path are for OAuth clients. */
export function isOAuthPath(path: string): boolean {
  return /^\/api\/oauth\/(?:register|token|revoke)$/.test(path);
}

/** Codes that are words of OAuth, too (RFC 6749, section 5.2; RFC 7591; RFC 8707). */
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_target',
  'invalid_redirect_uri',
  'unsupported_grant_type',
]);

/** The word of OAuth for a code. */
export function oauthErrorOf(code: ErrorCode, isRegistration: boolean): string {
  const { status } = errorCatalogue[code];
  if (code === 'invalid_request' && isRegistration) return 'invalid_client_metadata';
  if (OAUTH_ERRORS.has(code)) return code;
  if (status === 503) return 'temporarily_unavailable';
  if (status >= 500) return 'server_error';
  return status === 403 ? 'access_denied' : 'invalid_request';
}

export type RouterErrorBody = z.infer<typeof routerErrorBody>;

export type ErrorBody = z.infer<typeof errorBody>;

/** `details` of `invalid_request`. */
export const invalidRequestDetails = z.object({
  fields: z.array(z.object({ path: z.string(), message: z.string() })),
});
