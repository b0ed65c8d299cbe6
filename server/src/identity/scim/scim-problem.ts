import { Problem } from '#base/problem.ts';
import type { ScimType } from '@trellis/contract/shapes/scim.ts';

/** A fault of a request of SCIM; 400. */
export function scimFault(scimType: ScimType, message: string): Problem {
  return new Problem('scim_invalid_request', message, { details: { scimType } });
}
