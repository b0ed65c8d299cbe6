import { Problem } from '#base/problem.ts';
import { SSO_RETURN_PATH_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

/** A path of this workspace: nothing that a browser could take for another site. */
const RETURN_PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/**
 * Where a SAML sign-in leads; the problem `invalid_request` for an issuer that is not ours, or a
 * destination elsewhere.
 */
export function returnPathOf(
  request: { readonly issuer: string; readonly destination: string },
  entryPoint: string,
  entityId: string,
): string {
  if (request.issuer !== entityId) {
    throw invalidSegment('issuer', `must be the entity id of this workspace, ${entityId}`);
  }
  if (request.destination === entryPoint) return '/';
  if (
    RETURN_PATH.test(request.destination) &&
    request.destination.length <= SSO_RETURN_PATH_CHARACTERS_MAX
  ) {
    return request.destination;
  }
  throw invalidSegment(
    'destination',
    "must be a path of this workspace or the provider's entry point",
  );
}

function invalidSegment(path: string, message: string): Problem {
  return new Problem('invalid_request', `path, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
