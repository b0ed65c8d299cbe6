import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { Problem } from '#base/problem.ts';
import {
  LicenseFault,
  licenseTime,
  parseLicense,
  pemLabel,
  type LicenseClaims,
  type LicenseFeature,
  type ParsedLicense,
} from '@trellis/contract/license.ts';

/** A license whose signature holds, and whose time has come and not gone. */
export interface License {
  /** To whom it was issued. */
  readonly subject: string;
  /** Also those that this version does not know. */
  readonly features: readonly string[];
  /** Milliseconds since the Unix epoch: it is good before. */
  readonly expiresAt: number;
}

/** A license and the PEM text of the authority's Ed25519 public key. */
export interface LicenseTexts {
  readonly license: string;
  readonly publicKey: string;
}

/**
 * Verifies the text of a license at the time `now` in milliseconds since the Unix epoch
 * (open-shapes, section 1). Problems: `license_invalid` for whatever is wrong with either text, and
 * `license_expired`, which is told only of a license that the authority has signed.
 */
export function verifyLicense(given: LicenseTexts & { readonly now: number }): License {
  const claims = signedClaims(given);
  checkTime(claims, given.now);
  return licenseOf(claims);
}

/** What the authority has signed, whether its time has come or gone. Throws `license_invalid`. */
export function signedClaims(texts: LicenseTexts): LicenseClaims {
  const key = openPublicKey(texts.publicKey);
  const { claims, signedBytes, signature } = parse(texts.license);
  if (!verify(null, signedBytes, key, signature)) {
    throw new Problem('license_invalid', 'the license is not signed by the key of the authority', {
      hint: 'MSK_LICENSE and MSK_LICENSE_PUBLIC_KEY must be of the same authority.',
    });
  }
  return claims;
}

/** Throws `license_expired`, `license_invalid`. */
export function checkTime(claims: LicenseClaims, now: number): void {
  const { sub, exp, nbf = 0 } = claims;
  switch (licenseTime(claims, now)) {
    case 'expired':
      throw new Problem('license_expired', `the license expired at ${timeText(exp)}`, {
        hint: `Set MSK_LICENSE to a new license for ${JSON.stringify(sub)}.`,
      });
    case 'not_yet_valid':
      throw new Problem('license_invalid', `the license is not valid before ${timeText(nbf)}`, {
        hint: 'Check the clock of this machine, or start later.',
      });
    case 'current':
  }
}

export function licenseOf({ sub, features, exp }: LicenseClaims): License {
  return { subject: sub, features, expiresAt: exp * 1_000 };
}

/** What the log says of a license without the feature (specification, section 3.1). */
const NOT_COVERED: Readonly<Record<LicenseFeature, string>> = {
  Replicas: 'the license does not cover replica usage',
};

/**
 * Throws the problem `license_missing_feature` unless the license has the feature; no license
 * (null) has none.
 */
export function requireFeature(license: License | null, feature: LicenseFeature): void {
  const features = license?.features ?? [];
  if (features.includes(feature)) return;
  throw new Problem('license_missing_feature', NOT_COVERED[feature], {
    hint: `Set MSK_LICENSE to a license with the feature ${feature}.`,
    details: { feature, features },
  });
}

function parse(text: string): ParsedLicense {
  try {
    return parseLicense(text);
  } catch (cause) {
    if (!(cause instanceof LicenseFault)) throw cause;
    throw new Problem('license_invalid', `MSK_LICENSE ${cause.message}`, { cause });
  }
}

function openPublicKey(pem: string): KeyObject {
  const label = pemLabel(pem);
  if (label !== 'PUBLIC KEY') throw wrongKey(label === undefined ? 'no PEM' : `a ${label}`);
  let key: KeyObject;
  try {
    key = createPublicKey({ key: pem.trim(), format: 'pem' });
  } catch (cause) {
    throw wrongKey('damaged', cause);
  }
  const type = key.asymmetricKeyType;
  if (type !== 'ed25519') throw wrongKey(`a key of the kind ${type}`);
  return key;
}

function wrongKey(what: string, cause?: unknown): Problem {
  const message = `MSK_LICENSE_PUBLIC_KEY is ${what}, and must be an Ed25519 public key`;
  return new Problem('license_invalid', message, {
    hint: 'Set it to the public.pem that the authority has made with "trellis license keygen".',
    ...(cause === undefined ? {} : { cause }),
  });
}

function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
