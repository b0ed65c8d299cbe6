import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { ENDPOINT_NAME_CHARACTERS_MAX, TOKEN_NAME_CHARACTERS_MAX } from '../limits.ts';
import { SCOPES, TOKEN_KINDS } from '../rights.ts';
import { plainText } from './user.ts';
import { moment, uidText } from '../bounded-shapes.ts';

export const tokenKind = z.enum(TOKEN_KINDS);

/** Scopes by name; the fault names the one that there is not. */
export const scope = z.enum(SCOPES, {
  error: ({ input }) =>
    typeof input === 'string'
      ? `there is no scope "${input.slice(0, 40)}", only ${SCOPES.join(', ')}`
      : undefined,
});

/**
 * The name of an endpoint; a prefix of names, which ends in "/"; or nothing, for every endpoint.
 */
const tokenPath = z
  .string()
  .max(ENDPOINT_NAME_CHARACTERS_MAX)
  .regex(
    /^(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*\/?)?$/,
    'must be the name of an endpoint, a prefix that ends in "/", or empty',
  );

/**
 * The body of `POST /api/tokens` (open-shapes, section 3). Null is the same as left out, and so are
 * no scopes for a kind that takes none. Which of the optional members a kind takes or needs is the
 * server's to say: `scopes` are for api, connector and automation; `path` is for endpoint;
 * `actingUser`, the UID of a user, is for endpoint, llm-openai, llm-anthropic and mcp.
 */
export const newToken = z.strictObject({
  kind: tokenKind,
  name: plainText(1, TOKEN_NAME_CHARACTERS_MAX),
  scopes: z.array(scope).max(SCOPES.length).nullable().optional(),
  path: tokenPath.nullable().optional(),
  actingUser: uidText.nullable().optional(),
  expiresAt: moment.nullable().optional(),
});
export type NewToken = Immutable<z.infer<typeof newToken>>;

/** A token as it is listed: never its value. Times are ISO 8601 UTC. */
export const tokenRecord = z.strictObject({
  id: z.string(),
  kind: tokenKind,
  name: z.string(),
  /** Empty for a kind that carries none. */
  scopes: z.array(z.string()),
  /** Endpoints that an endpoint token may run; empty means every endpoint. */
  path: z.string().nullable(),
  /** UID of the user it acts as. */
  actingUser: z.string().nullable(),
  /** Name of the MCP client to which the user granted it; null for a token that was created. */
  client: z.string().nullable(),
  /** UID of the administrator who made it, or of the user who granted it. */
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  /** Null when it was never used. A crash may lose the last minute. */
  lastUsedAt: z.iso.datetime().nullable(),
  revoked: z.boolean(),
});
export type TokenRecord = Immutable<z.infer<typeof tokenRecord>>;

/** The answer of `POST /api/tokens`: the only time that the value is shown. */
export const createdToken = z.strictObject({ ...tokenRecord.shape, token: z.string() });
export type CreatedToken = Immutable<z.infer<typeof createdToken>>;
