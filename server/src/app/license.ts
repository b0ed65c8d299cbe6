import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '#base/problem.ts';
import {
  isLicenseText,
  type LicenseClaims,
  LicenseFault,
  type LicenseFeature,
  licenseTime,
  type ParsedLicense,
  parseLicense,
  pemLabel,
} from '@trellis/contract/license.ts';
import { LICENSE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { LicenseReport } from '@trellis/contract/shapes/workspace.ts';
import type { Clock } from '#base/clock.ts';
import type { WorkspaceOptions } from './workspace.ts';

/** A license whose signature holds, and whose time has come and not gone. */
export interface License {
  /** The name of whom it was issued to. */
  readonly subject: string;
  /** Names of features, with those that this version does not know. */
  readonly features: readonly string[];
  /** Milliseconds since the Unix epoch: it is good before. */
  readonly expiresAt: number;
}

/** A license and the PEM text of the authority's Ed25519 public key. */
interface LicenseTexts {
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

/**
 * The claims that the authority has signed, whether its time has come or gone. Throws
 * `license_invalid`.
 */
function signedClaims(texts: LicenseTexts): LicenseClaims {
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
function checkTime(claims: LicenseClaims, now: number): void {
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

function licenseOf({ sub, features, exp }: LicenseClaims): License {
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

/** The settings of a process that concern its license. */
interface LicenseSettings {
  /**
   * `MSK_LICENSE` and `MSK_LICENSE_PUBLIC_KEY`, each the text or the path of a file (open-shapes,
   * section 1).
   */
  readonly license: string | null;
  readonly publicKey: string | null;
  /** Absolute; relative paths begin here. */
  readonly folder: string;
}

export function licenseSettings(
  options: Pick<WorkspaceOptions, 'config' | 'secrets' | 'startFolder'>,
) {
  const { config, secrets, startFolder: folder } = options;
  return { license: secrets.license, publicKey: config.licensePublicKey, folder };
}

/**
 * The license of a process, verified at the time `now` in milliseconds since the Unix epoch; null
 * when `MSK_LICENSE` is not set. Problems: those of `verifyLicense` and of `readLicenseTexts`.
 */
export function readLicense(given: LicenseSettings & { readonly now: number }): License | null {
  const texts = readLicenseTexts(given);
  return texts === null ? null : verifyLicense({ ...texts, now: given.now });
}

/**
 * Null when `MSK_LICENSE` is not set. Throws `license_invalid`, with `details.variable` for a file
 * that cannot be read.
 */
function readLicenseTexts(given: LicenseSettings): LicenseTexts | null {
  const { license, publicKey, folder } = given;
  if (license === null) return null;
  if (publicKey === null) {
    throw new Problem('license_invalid', 'MSK_LICENSE cannot be verified without a public key', {
      hint: 'Set MSK_LICENSE_PUBLIC_KEY to the public.pem of the authority, its text or its path.',
    });
  }
  return {
    license: isLicenseText(license)
      ? license
      : readSmallFile('MSK_LICENSE', resolve(folder, license)),
    publicKey: publicKey.includes('-----BEGIN')
      ? publicKey
      : readSmallFile('MSK_LICENSE_PUBLIC_KEY', resolve(folder, publicKey)),
  };
}

function readSmallFile(variable: string, path: string): string {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error('it is no file');
    if (file.size > LICENSE_CHARACTERS_MAX) throw new Error('it is too long');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(variable, path, cause);
  }
}

/**
 * What was meant as a text can have been taken for a path: a part of it tells enough, and what Node
 * says has it all.
 */
function unreadable(variable: string, path: string, cause: unknown): Problem {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}...` : path);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const why = code ?? (cause instanceof Error ? cause.message : String(cause));
  const reason = code === 'ENOENT' ? 'there is no such file' : why;
  return new Problem('license_invalid', `${variable} is ${shown}: ${reason}`, {
    hint: 'Give the text itself, or the path of a file that this user can read.',
    details: { variable },
    cause,
  });
}

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
