import type { FastifyRequest } from 'fastify';
import { type PrimaryAddress, requirePrimary } from '#base/primary-address.ts';
import { Problem } from '#base/problem.ts';
import type { Reached } from '#identity/oauth/oauth-service.ts';

type Request = Pick<FastifyRequest, 'host' | 'hostname' | 'protocol'>;

/** The address of this server as whoever sent a request knows it. */
export type ReachedBy = (request: Request) => Reached;

/** A name or an address, and a port: nothing that URLs and headers could read in another way. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * `MSK_PUBLIC_ADDRESS`, but for programs on the same machine, which take the loopback; without it,
 * whatever the request names. Nothing but the answer to this request depends on it. On a replica
 * the authorization server is the primary.
 */
export function reachedBy(
  publicAddress: string | null,
  primaryAddress: PrimaryAddress | null,
): ReachedBy {
  return (request) => {
    const named = HOST.test(request.host)
      ? URL.parse(`${request.protocol}://${request.host}`)?.origin
      : undefined;
    const isLocal =
      named !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(request.hostname);
    const base = publicAddress !== null && !isLocal ? publicAddress : named;
    if (base === undefined) throw new Problem('malformed_request', 'The header Host is no host.');
    return {
      base,
      get issuer() {
        return primaryAddress === null ? base : requirePrimary(primaryAddress);
      },
    };
  };
}

/** Where clients read what the MCP server is (RFC 9728). */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource/api/mcp';

/** The challenge of the MCP server, by which clients find out how to get a token. */
export function mcpChallenge(challenge: string, base: string): string {
  const parameter = `resource_metadata="${base}${RESOURCE_METADATA}"`;
  return challenge === 'Bearer' ? `Bearer ${parameter}` : `${challenge}, ${parameter}`;
}
