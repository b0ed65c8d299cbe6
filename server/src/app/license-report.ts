import type { LicenseClaims } from '@trellis/contract/license.ts';
import type { LicenseReport } from '@trellis/contract/shapes/workspace.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { checkTime, licenseOf, signedClaims, type License } from './license.ts';
import { readLicenseTexts, type LicenseSettings } from './license-files.ts';

const NONE: LicenseReport = { licensed: false, features: [], valid: false };

/**
 * Tells of the license that the process was started with: what is read is read now, and whether its
 * time has come or gone is found out by each call.
 */
export function licenseReporter(settings: LicenseSettings, clock: Clock): () => LicenseReport {
  let claims: LicenseClaims;
  try {
    const texts = readLicenseTexts(settings);
    if (texts === null) return () => NONE;
    claims = signedClaims(texts);
  } catch (error) {
    const refused = { licensed: true, features: [], valid: false, reason: reasonOf(error) };
    return () => refused;
  }
  const signed = describe(licenseOf(claims));
  return () => {
    try {
      checkTime(claims, clock.now());
      return { ...signed, valid: true };
    } catch (error) {
      return { ...signed, valid: false, reason: reasonOf(error) };
    }
  };
}

function describe({ subject, features, expiresAt }: License) {
  const at = new Date(expiresAt).toISOString();
  return { licensed: true, subject, features: [...features], expiresAt: at };
}

/**
 * What was taken for the path of a file may have been the license itself, which nobody is shown.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  const { variable } = error.details ?? {};
  return variable === undefined ? error.message : `${variable} names no file that can be read`;
}
