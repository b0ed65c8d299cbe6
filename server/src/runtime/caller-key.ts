import { createHash } from 'node:crypto';
import type { Caller } from '#access/caller.ts';

/**
 * Who a caller is as far as an endpoint can tell: the user, or the token when it acts as nobody,
 * and what it may see. Two sessions of one user are the same caller.
 */
export function callerKey(caller: Caller): string {
  const { userUid, tokenId, isAdmin, isReadOnlyAdmin, isGuest } = caller;
  const who = userUid === null ? `token ${tokenId}` : `user ${userUid}`;
  return `${who} ${Number(isAdmin)}${Number(isReadOnlyAdmin)}${Number(isGuest)}`;
}

/**
 * The same for two calls of one caller with the same body to the same version of an endpoint;
 * bodies are the same when their texts are. Its length is fixed, whatever the body.
 */
export function requestKey(version: string, caller: Caller, body: string | null): string {
  return createHash('sha256')
    .update(`${version} ${callerKey(caller)} ${body === null ? '' : '+'}`)
    .update(body ?? '')
    .digest('base64url');
}
