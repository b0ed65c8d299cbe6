import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

/**
 * The answer to `GET /api/license`: what the server was started with. The text of the license is no
 * part of it.
 */
export const licenseReport = z.strictObject({
  /** Whether there is one: `MSK_LICENSE` is set. */
  licensed: z.boolean(),
  /**
   * To whom it was issued. This and the next two are those of a license that the authority has
   * signed.
   */
  subject: z.string().optional(),
  features: z.array(z.string()),
  expiresAt: z.iso.datetime().optional(),
  /** Whether it is good now. */
  valid: z.boolean(),
  /** Why a license is not. */
  reason: z.string().optional(),
});
export type LicenseReport = Immutable<z.infer<typeof licenseReport>>;
